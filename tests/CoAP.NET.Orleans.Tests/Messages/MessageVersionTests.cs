using System.Reflection;
using CoAP.NET.Orleans.Devices;
using CoAP.NET.Orleans.Messages;
using CoAP.NET.Orleans.Nodes;
using Orleans.Serialization.Invocation;

namespace CoAP.NET.Orleans.Tests.Messages;

/// <summary>
/// Silos of two versions read each other's messages. A member that only the sender knows is skipped; one that only the receiver knows has
/// its default.
/// </summary>
public sealed class MessageVersionTests(SiloServices silo) : IClassFixture<SiloServices>
{
    private static readonly SiloAddress s_silo = SiloAddress.New(IPAddress.Loopback, 11_111, 1);
    private static readonly Guid s_node = new("0f0e0d0c-0b0a-0908-0706-050403020100");
    private static readonly DateTimeOffset s_heard = new(2026, 1, 2, 3, 4, 5, TimeSpan.Zero);
    private static readonly byte[] s_bytes = [1, 2, 3];
    private static readonly NodeIPAddress s_address = new(1, 2, 5684, 3);
    private static readonly NodeQueuedRequest s_queued = new(s_node, "meter-7", 3, "/light", "me", s_heard, s_heard, true);

    private static readonly CoapRequest s_request = new(CoapMethod.Get, "/state") { Timeout = FromSeconds(5) };

    private static readonly CoapResponse s_response =
        CoapResponse.FromMessage(new CoapMessage(CoapCode.Content) { Payload = "on"u8.ToArray() });

    private static readonly CoapDeviceAnswer s_answer = CoapDeviceAnswer.Of("meter-7", s_response, null, isSafe: true);

    /// <summary>Each message of the first version, and its bytes.</summary>
    public static TheoryData<object, string> Messages => new()
    {
        { s_request, "20e8401540010000b5737461746501038180f0fa0200000000e0" },
        { s_response, "20e8400f40450000ff6f6ee0" },
        { s_answer, "2020e8400f40450000ff6f6ee0c101410f6d657465722d3741010101c1010101e0" },
        {
            CoapDeviceAnswer.Of("meter-7", null, CoapDeviceException.Asleep("meter-7", s_heard, true), isSafe: false),
            "20c0010111410f6d657465722d374106045468652064657669636520276d657465722d37272069732061736c6565703a20697420776173206c61"
                + "737420686561726420323032362d30312d30322030333a30343a30355a2e2054727920616761696e20616674657220697473206e657874206d65"
                + "73736167652c206f722070757420746865207265717565737420696e746f20697473206f7574626f782028436f61704465766963655265717565"
                + "73744f7074696f6e732e5175657565292e205468652072657175657374206d6179206f72206d6179206e6f7420686176652074616b656e206566"
                + "666563742e205265616420746865207374617465206265666f726520796f75207265706561742069742e010321808000b796ab49de0881000000"
                + "0000000000e00101e0"
        },
        { new DeviceArrival(true, s_silo), "20e800032140097f000001019ead0105e0e0" },
        { new DeviceLocation(s_silo, true), "20e82040097f000001019ead0105e00103e0" },
        {
            new DeviceSighting(FromSeconds(5), s_heard, true, s_node, 7),
            "20e88080f0fa020000000021808000b796ab49de08810000000000000000e0010341210c0d0e0f0a0b08090706050403020100011de0"
        },
        { new DeviceResource(s_bytes, FromSeconds(5), FromMinutes(5)), "20e840070102038180f0fa020000000081005ed0b200000000e0" },
        { new DeviceResourceState(1, s_answer), "20e800032120e8400f40450000ff6f6ee0c101410f6d657465722d3741010101c1010101e0e0" },
        {
            new NodeDatagram(s_bytes, 7, 9, s_address, s_node, s_bytes),
            "20e84007010203011d011321e80003010501d2580107e041210c0d0e0f0a0b080907060504030201004107010203e0"
        },
        { s_address, "20e80003010501d2580107e0" },
        { new NodeRelayPath(7, s_bytes, [s_address]), "20e8000f410701020321000321e80003010501d2580107e0e0e0" },
        { new NodeResumptionKey(9, s_bytes), "20e800134107010203e0" },
        { new NodeTableChange(3, 9, 5, 6, 7, [s_bytes]), "20e80007011301150119011d2100034107010203e0e0" },
        { new NodeTableQuestion(s_node, 3, s_bytes, s_bytes), "20e840210c0d0e0f0a0b08090706050403020100010741070102034107010203e0" },
        { new NodeTableAnswer(3, s_bytes, "why", 2, FromSeconds(5), true), "20e800074107010203410777687901058180f0fa02000000000103e0" },
        {
            new NodeOutboxRequest(s_node, "meter-7", "me", s_heard, true, s_bytes),
            "20e840210c0d0e0f0a0b08090706050403020100410f6d657465722d3741056d6521808000b796ab49de08810000000000000000e00103410701"
                + "0203e0"
        },
        { new NodeOutboxOutcome(s_bytes, 4, "why"), "20e8400701020301094107776879e0" },
        {
            new NodeOutboxAddition(s_queued, 0, "why"),
            "20e820e840210c0d0e0f0a0b08090706050403020100410f6d657465722d370107410d2f6c6967687441056d6521808000b796ab49de08810000"
                + "000000000000e021808000b796ab49de08810000000000000000e00103e001014107776879e0"
        },
        {
            s_queued,
            "20e840210c0d0e0f0a0b08090706050403020100410f6d657465722d370107410d2f6c6967687441056d6521808000b796ab49de088100000000"
                + "00000000e021808000b796ab49de08810000000000000000e00103e0"
        },
    };

    /// <summary>Those that a version without any of their members may send; a message of CoAP is always there.</summary>
    public static TheoryData<object, string> OptionalMembers =>
        [.. Messages.Where(static row => row.Data.Item1 is not (CoapRequest or CoapResponse))];

    /// <summary>The requests of the first version: name, arguments, bytes.</summary>
    public static TheoryData<string, object?[], string> Requests => new()
    {
        {
            Name("coap.slot", "activate"), [],
            "30012ec135cd532822696e76222c5b477261696e5265665d2c5b636f61702e736c6f745d2c2261637469766174652229e0"
        },
        {
            Name("coap.device.directory", "find"), [s_silo],
            "300160af5619632822696e76222c5b477261696e5265665d2c5b636f61702e6465766963652e6469726563746f72795d2c2266696e6422292040097f"
                + "000001019ead0105e0e0"
        },
        {
            Name("coap.device.directory", "arrived"), [s_silo, 7L, FromSeconds(5)],
            "3001f68fe0d3692822696e76222c5b477261696e5265665d2c5b636f61702e6465766963652e6469726563746f72795d2c2261727269766564222920"
                + "40097f000001019ead0105e0011d8180f0fa0200000000e0"
        },
        {
            Name("coap.device.directory", "departed"), [s_silo, 7L],
            "300105d19a746b2822696e76222c5b477261696e5265665d2c5b636f61702e6465766963652e6469726563746f72795d2c2264657061727465642229"
                + "2040097f000001019ead0105e0011de0"
        },
        {
            Name("coap.device.directory", "when-arrived"), [],
            "30013ee8a03c732822696e76222c5b477261696e5265665d2c5b636f61702e6465766963652e6469726563746f72795d2c227768656e2d6172726976"
                + "65642229e0"
        },
        {
            Name("coap.node", "report-resource-changes"), [new[] { "a", "b" }],
            "3001afa8587b712822696e76222c5b477261696e5265665d2c5b636f61702e6e6f64655d2c227265706f72742d7265736f757263652d6368616e"
                + "6765732229200005410361400362e0e0"
        },
        {
            Name("coap.node", "cancel-request"), ["meter-7", s_node],
            "3001f491a1115f2822696e76222c5b477261696e5265665d2c5b636f61702e6e6f64655d2c2263616e63656c2d726571756573742229400f6d65"
                + "7465722d3741210c0d0e0f0a0b08090706050403020100e0"
        },
        {
            Name("coap.devices", "end-observation"), [s_node, 7L],
            "300176cf0c94672822696e76222c5b477261696e5265665d2c5b636f61702e646576696365735d2c22656e642d6f62736572766174696f6e2229"
                + "40210c0d0e0f0a0b08090706050403020100011de0"
        },
        {
            Name("coap.devices", "drop"), ["meter-7", 7L],
            "300156e7fe6f512822696e76222c5b477261696e5265665d2c5b636f61702e646576696365735d2c2264726f702229400f6d657465722d37011d"
                + "e0"
        },
    };

    [Fact]
    public void Each_message_is_among_these() => Assert.Equal(
        typeof(DeviceGrain).Assembly.GetTypes().Where(type => type.IsDefined(typeof(GenerateSerializerAttribute)))
            .Select(type => type == typeof(RequestSurrogate) ? typeof(CoapRequest)
                : type == typeof(ResponseSurrogate) ? typeof(CoapResponse) : type).ToHashSet(),
        Messages.Select(row => row.Data.Item1.GetType()).ToHashSet());

    [Theory]
    [MemberData(nameof(Messages), DisableDiscoveryEnumeration = true)]
    public void Messages_of_the_first_version_are_read_and_written(object message, string bytes)
    {
        Assert.Equal(bytes, Hex(Rewrite(message.GetType(), Write(message))));
        Assert.Equal(bytes, Hex(Rewrite(message.GetType(), Convert.FromHexString(bytes))));
    }

    [Theory]
    [MemberData(nameof(Messages), DisableDiscoveryEnumeration = true)]
    public void A_member_of_a_later_version_is_skipped(object message, string bytes)
    {
        // A text with a number above all of this version, before the end of the message.
        byte[] later = [.. Convert.FromHexString(bytes)[..^1], .. Convert.FromHexString("4765076c6174"), 0xe0];

        Assert.Equal(bytes, Hex(Rewrite(message.GetType(), later)));
    }

    [Theory]
    [MemberData(nameof(OptionalMembers), DisableDiscoveryEnumeration = true)]
    public void A_message_of_a_version_without_these_members_is_read(object message, string bytes)
    {
        Assert.StartsWith("20", bytes, Ordinal);

        Assert.NotEmpty(Rewrite(message.GetType(), [0x20, 0xe0]));
    }

    [Theory]
    [MemberData(nameof(Requests), DisableDiscoveryEnumeration = true)]
    public void Requests_of_the_first_version_are_read(string name, object?[] arguments, string bytes)
    {
        IInvokable request = Assert.IsType<IInvokable>(Read<object>(Convert.FromHexString(bytes)), exactMatch: false);

        Assert.Equal(silo.Types.Parse(name), request.GetType());
        Assert.Equal(arguments, Enumerable.Range(0, arguments.Length).Select(request.GetArgument));
    }

    private static string Name(string type, string method) => $"(\"inv\",[GrainRef],[{type}],\"{method}\")";

    private static string Hex(byte[] bytes) => Convert.ToHexStringLower(bytes);

    private byte[] Rewrite(Type type, byte[] bytes) => Call(nameof(RewriteAs), type, bytes);

    private byte[] RewriteAs<T>(byte[] bytes) => silo.Serializer.SerializeToArray(Read<T>(bytes));

    private byte[] Write(object message) => Call(nameof(WriteAs), message.GetType(), message);

    private byte[] Call(string method, Type type, object argument) => (byte[])GetType()
        .GetMethod(method, BindingFlags.Instance | BindingFlags.NonPublic)!.MakeGenericMethod(type).Invoke(this, [argument])!;

    private byte[] WriteAs<T>(T message) => silo.Serializer.SerializeToArray(message);

    private T Read<T>(byte[] bytes) => silo.Serializer.Deserialize<T>(bytes)!;
}
