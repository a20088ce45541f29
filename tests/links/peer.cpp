// A controller on Fast DDS that speaks to the ROS 2 link: an implementation of DDS and of CDR that
// shares nothing with the link's. Members are written and read by hand, in the order of ROS 2's
// message definitions.
//
//     peer NAMESPACE DOMAIN command|efforts [STIFFNESS]
//
// answers each joint state with efforts 0.25 - 2 position until the end of stdin, and prints what it
// got as one line.
#include <poll.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <fastcdr/Cdr.h>
#include <fastcdr/FastBuffer.h>
#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/publisher/qos/DataWriterQos.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/subscriber/qos/DataReaderQos.hpp>
#include <fastdds/dds/topic/TopicDataType.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>

namespace fast = eprosima::fastdds::dds;
using eprosima::fastcdr::Cdr;
using eprosima::fastcdr::FastBuffer;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::SerializedPayload_t;

struct JointState {
    int32_t sec = 0;
    uint32_t nanosec = 0;
    std::string frame_id;
    std::vector<std::string> name;
    std::vector<double> position, velocity, effort;

    static const char *type() { return "sensor_msgs::msg::dds_::JointState_"; }
    void write(Cdr &to) const
    {
        to << sec << nanosec << frame_id << name << position << velocity << effort;
    }
    void read(Cdr &from)
    {
        from >> sec >> nanosec >> frame_id >> name >> position >> velocity >> effort;
    }
};

struct Float64MultiArray {
    std::vector<double> data;

    static const char *type() { return "std_msgs::msg::dds_::Float64MultiArray_"; }
    void write(Cdr &to) const
    {
        // one dimension, as robots' controllers write it
        to << uint32_t{1} << std::string("joints") << uint32_t(data.size())
           << uint32_t(data.size()) << uint32_t{0} << data;
    }
    void read(Cdr &) {}
};

struct Float64 {
    double data = 0.0;

    static const char *type() { return "std_msgs::msg::dds_::Float64_"; }
    void write(Cdr &to) const { to << data; }
    void read(Cdr &from) { from >> data; }
};

template <class Message> class Type : public fast::TopicDataType {
public:
    Type()
    {
        setName(Message::type());
        m_typeSize = 4096;
        m_isGetKeyDefined = false;
        auto_fill_type_object(false);
        auto_fill_type_information(false);
    }
    bool serialize(void *data, SerializedPayload_t *payload) override
    {
        FastBuffer buffer(reinterpret_cast<char *>(payload->data), payload->max_size);
        Cdr to(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
        payload->encapsulation = CDR_LE;
        to.serialize_encapsulation();
        static_cast<Message *>(data)->write(to);
        payload->length = uint32_t(to.getSerializedDataLength());
        return true;
    }
    bool deserialize(SerializedPayload_t *payload, void *data) override
    {
        FastBuffer buffer(reinterpret_cast<char *>(payload->data), payload->length);
        Cdr from(buffer, Cdr::DEFAULT_ENDIAN, Cdr::DDS_CDR);
        try {
            from.read_encapsulation();
            static_cast<Message *>(data)->read(from);
        } catch (const eprosima::fastcdr::exception::Exception &) {
            return false;
        }
        return true;
    }
    std::function<uint32_t()> getSerializedSizeProvider(void *) override
    {
        return [] { return uint32_t{4096}; };
    }
    void *createData() override { return new Message; }
    void deleteData(void *data) override { delete static_cast<Message *>(data); }
    bool getKey(void *, InstanceHandle_t *, bool) override { return false; }
};

template <class Message>
fast::Topic *topic_of(fast::DomainParticipant *participant, const std::string &name)
{
    fast::TypeSupport type(new Type<Message>);
    type.register_type(participant);
    return participant->create_topic(name, Message::type(), fast::TOPIC_QOS_DEFAULT);
}

template <class Message>
fast::DataWriter *writer_of(fast::DomainParticipant *participant, const std::string &name)
{
    fast::DataWriterQos qos;
    qos.reliability().kind = fast::RELIABLE_RELIABILITY_QOS;
    return participant->create_publisher(fast::PUBLISHER_QOS_DEFAULT)
        ->create_datawriter(topic_of<Message>(participant, name), qos);
}

class Controller : public fast::DataReaderListener {
public:
    fast::DataWriter *command = nullptr, *efforts = nullptr;
    JointState last;
    long count = 0;

    void on_data_available(fast::DataReader *reader) override
    {
        fast::SampleInfo info;
        JointState state;
        while (reader->take_next_sample(&state, &info) == ReturnCode_t::RETCODE_OK) {
            if (info.valid_data) {
                answer(state);
            }
        }
    }

private:
    void answer(const JointState &state)
    {
        std::vector<double> wanted;
        for (double position : state.position) {
            wanted.push_back(0.25 - 2.0 * position);
        }
        if (command != nullptr) {
            JointState message;
            message.name = state.name;
            message.effort = wanted;
            command->write(&message);
        } else {
            Float64MultiArray message;
            message.data = wanted;
            efforts->write(&message);
        }
        last = state;
        count++;
    }
};

static void print(const char *title, const std::vector<double> &values)
{
    std::printf("\"%s\": [", title);
    for (size_t k = 0; k < values.size(); k++) {
        std::printf("%s%.17g", k > 0 ? ", " : "", values[k]);
    }
    std::printf("], ");
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        return 2;
    }
    const std::string inside = std::string("rt/") + argv[1] + "/";
    // over sockets only: a peer that is killed must leave nothing in shared memory
    fast::DomainParticipantQos here;
    here.transport().use_builtin_transports = false;
    here.transport().user_transports.push_back(
        std::make_shared<eprosima::fastdds::rtps::UDPv4TransportDescriptor>());
    auto *participant = fast::DomainParticipantFactory::get_instance()->create_participant(
        uint32_t(std::atoi(argv[2])), here);
    if (participant == nullptr) {
        return 3;
    }
    Controller controller;
    if (std::strcmp(argv[3], "command") == 0) {
        controller.command = writer_of<JointState>(participant, inside + "command");
    } else {
        controller.efforts = writer_of<Float64MultiArray>(participant, inside + "efforts");
    }
    fast::DataReaderQos qos;
    qos.reliability().kind = fast::RELIABLE_RELIABILITY_QOS;
    participant->create_subscriber(fast::SUBSCRIBER_QOS_DEFAULT)
        ->create_datareader(topic_of<JointState>(participant, inside + "joint_states"), qos,
                            &controller);
    fast::DataWriter *parameter = writer_of<Float64>(participant, inside + "parameters/stiffness");

    // until the end of stdin; a parameter again and again, for those who are found later
    pollfd input = {0, POLLIN, 0};
    while (poll(&input, 1, 20) == 0) {
        if (argc > 4) {
            Float64 message;
            message.data = std::atof(argv[4]);
            parameter->write(&message);
        }
    }
    // no message comes after this
    participant->delete_contained_entities();
    fast::DomainParticipantFactory::get_instance()->delete_participant(participant);
    const JointState &last = controller.last;
    std::printf("{\"count\": %ld, \"sec\": %d, ", controller.count, last.sec);
    print("position", last.position);
    print("velocity", last.velocity);
    print("effort", last.effort);
    std::printf("\"name\": [");
    for (size_t k = 0; k < last.name.size(); k++) {
        std::printf("%s\"%s\"", k > 0 ? ", " : "", last.name[k].c_str());
    }
    std::printf("]}\n");
    return 0;
}
