using CoAP.NET.Orleans.Devices;
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

    private static readonly DeviceCall s_call = new(DeviceOperation.Ask, "meter-7", 7, FromSeconds(5), [1, 2, 3]);
    private static readonly DeviceSighting s_sighting = new(FromSeconds(5), s_heard, true, s_node, 7);
    private static readonly DeviceLocation s_location = new(s_silo, true);

    /// <summary>The requests of the first version: name, arguments, bytes.</summary>
    public static TheoryData<string, object?[], string> Requests => new()
    {
        {
            Name("coap.slot", "activate"), [],
            "30012ec135cd532822696e76222c5b477261696e5265665d2c5b636f61702e736c6f745d2c2261637469766174652229e0"
        },
        {
            Name("coap.device", "send"), [new byte[] { 1, 2, 3 }, FromSeconds(5)],
            "3001d3fa9b904f2822696e76222c5b477261696e5265665d2c5b636f61702e6465766963655d2c2273656e64222940070102038180f0fa0200000000"
                + "e0"
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
            Name("coap.node", "post"), [s_node, "/changes", new byte[][] { [1, 2], [3] }],
            "30011e9297574b2822696e76222c5b477261696e5265665d2c5b636f61702e6e6f64655d2c22706f7374222940210c0d0e0f0a0b0809070605040302"
                + "010041112f6368616e67657321000541050102400303e0e0"
        },
        {
            Name("coap.node", "request"), [s_node, "/way", new byte[] { 1, 2, 3 }],
            "30018a2a77aa512822696e76222c5b477261696e5265665d2c5b636f61702e6e6f64655d2c2272657175657374222940210c0d0e0f0a0b0809070605"
                + "040302010041092f7761794107010203e0"
        },
    };

    [Fact]
    public void A_DeviceCall_is_read_by_versions_with_one_member_fewer_and_one_more()
    {
        AssertRead(s_call, new EarlierDeviceCall(s_call.Act, s_call.Name, s_call.Number, s_call.Timeout), s_call with { Body = null });
        DeviceCall read = Read<DeviceCall>(Write(
            new LaterDeviceCall(s_call.Act, s_call.Name, s_call.Number, s_call.Timeout, s_call.Body, "because")));
        Assert.Equal(s_call.Body, read.Body);
        Assert.Equal(s_call, read with { Body = s_call.Body });
        LaterDeviceCall later = Read<LaterDeviceCall>(Write(s_call));
        Assert.Equal(new LaterDeviceCall(s_call.Act, s_call.Name, s_call.Number, s_call.Timeout, later.Body, null!), later);
        Assert.Equal(s_call.Body, later.Body);
    }

    [Fact]
    public void A_DeviceSighting_is_read_by_versions_with_one_member_fewer_and_one_more()
    {
        AssertRead<DeviceSighting?, EarlierDeviceSighting?>(s_sighting,
            new EarlierDeviceSighting(s_sighting.Silence, s_heard, true, s_node), s_sighting with { Number = 0 });
        Assert.Equal(s_sighting,
            Read<DeviceSighting?>(Write<LaterDeviceSighting?>(new(s_sighting.Silence, s_heard, true, s_node, 7, ["a", "b"]))));
        Assert.Null(Read<LaterDeviceSighting?>(Write<DeviceSighting?>(s_sighting))!.Value.Paths);
    }

    [Fact]
    public void A_DeviceLocation_is_read_by_versions_with_one_member_fewer_and_one_more()
    {
        AssertRead(s_location, new EarlierDeviceLocation(s_silo), s_location with { IsCertain = false });
        Assert.Equal(s_location, Read<DeviceLocation>(Write(new LaterDeviceLocation(s_silo, true, s_heard))));
        Assert.Equal(new LaterDeviceLocation(s_silo, true, default), Read<LaterDeviceLocation>(Write(s_location)));
    }

    [Fact]
    public void Messages_of_the_first_version_are_read()
    {
        DeviceCall call = Read<DeviceCall>(Convert.FromHexString("20e80003410f6d657465722d37011d8180f0fa02000000004107010203e0"));
        Assert.Equal(s_call.Body, call.Body);
        Assert.Equal(s_call, call with { Body = s_call.Body });
        Assert.Equal(s_sighting, Read<DeviceSighting?>(Convert.FromHexString(
            "20e88080f0fa020000000021808000b796ab49de08810000000000000000e0010341210c0d0e0f0a0b08090706050403020100011de0")));
        Assert.Equal(s_location, Read<DeviceLocation>(Convert.FromHexString("20e82040097f000001019ead0105e00103e0")));
    }

    [Theory]
    [MemberData(nameof(Requests), DisableDiscoveryEnumeration = true)]
    public void Requests_of_the_first_version_are_read(string name, object?[] arguments, string bytes)
    {
        IInvokable request = Assert.IsType<IInvokable>(Read<object>(Convert.FromHexString(bytes)), exactMatch: false);

        Assert.Equal(silo.Types.Parse(name), request.GetType());
        Assert.Equal(arguments, Enumerable.Range(0, arguments.Length).Select(request.GetArgument));
    }

    [Theory]
    [InlineData("e0", null)]
    [InlineData("8180f0fa0200000000410f6d657465722d37e0", 5)]
    public void A_grain_call_with_one_argument_fewer_or_one_more_is_read(string rest, int? timeout)
    {
        const string Start = "3001d3fa9b904f2822696e76222c5b477261696e5265665d2c5b636f61702e6465766963655d2c2273656e64222940070102"
            + "03";

        IInvokable request = (IInvokable)Read<object>(Convert.FromHexString(Start + rest));

        Assert.Equal(new byte[] { 1, 2, 3 }, request.GetArgument(0));
        Assert.Equal(timeout is { } seconds ? FromSeconds(seconds) : null, (TimeSpan?)request.GetArgument(1));
    }

    private static string Name(string type, string method) => $"(\"inv\",[GrainRef],[{type}],\"{method}\")";

    // In both directions between this version and one with a member fewer.
    private void AssertRead<T, TEarlier>(T message, TEarlier earlier, T withoutMember)
    {
        Assert.Equal(earlier, Read<TEarlier>(Write(message)));
        Assert.Equal(withoutMember, Read<T>(Write(earlier)));
    }

    private byte[] Write<T>(T message) => silo.Serializer.SerializeToArray(message);

    private T Read<T>(byte[] bytes) => silo.Serializer.Deserialize<T>(bytes)!;
}
