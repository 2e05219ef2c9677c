using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Exchanges;

/// <summary>What a server leaves out because the client does not want it (RFC 7967 section 2).</summary>
public sealed class NoResponseTests : EndpointTest
{
    private static readonly CoapAddress s_group = CoapAddress.FromIPv4(0xe00001bb, 5683);
    private int _calls;

    /// <summary>The table of RFC 7967 section 2.1: the value, and whether 2.xx, 4.xx and 5.xx are left out.</summary>
    public static TheoryData<string, bool, bool, bool> Values => new()
    {
        { "d0ea", false, false, false },
        { "d1ea02", true, false, false },
        { "d1ea08", false, true, false },
        { "d1ea10", false, false, true },
        { "d1ea0a", true, true, false },
        { "d1ea12", true, false, true },
        { "d1ea18", false, true, true },
        { "d1ea1a", true, true, true },
        { "d1ea20", false, false, false },
        { "d1eaff", true, true, true },
    };

    [Theory]
    [MemberData(nameof(Values))]
    [Rfc("7967-2-1", "7967-2.1-2", "7967-2.1-3")]
    public async Task Responses_of_suppressed_classes_are_not_sent_and_a_Confirmable_request_is_acknowledged(string option, bool success,
        bool clientError, bool serverError)
    {
        MapCodes();
        await StartAsync();
        bool[] leftOut = [success, clientError, serverError];
        for (int i = 0; i < 3; i++)
        {
            string path = "b1" + ((int)("245"[i])).ToString("x2", System.Globalization.CultureInfo.InvariantCulture);
            string code = i switch { 0 => "44", 1 => "84", _ => "a0" };
            Assert.Equal(leftOut[i] ? $"6000000{i}" : $"60{code}000{i}", Exchange($"4003000{i}{path}{option}"));
            Transport.Receive(Peer, $"5003001{i}{path}{option}");
            Assert.Equal(leftOut[i] ? 0 : 1, Transport.TakeSent().Count(hex => hex.StartsWith($"50{code}", Ordinal)));
        }

        Assert.Equal(6, _calls);
        Transport.Receive(Peer, $"50030010b132{option}");
        Transport.HasSentNothing();
        Assert.Equal(leftOut[0] ? "60000000" : "60440000", Exchange($"40030000b132{option}"));
        Assert.Equal(6, _calls);
    }

    [Fact]
    [Rfc("7967-2-1")]
    public async Task A_No_Response_option_of_two_bytes_is_ignored_and_the_first_of_two_options_counts()
    {
        MapCodes();
        await StartAsync();
        Assert.Equal("60440001", Exchange("40030001b132d2ea1a1a"));
        Assert.Equal("60000002", Exchange("40030002b132d1ea0201" + "08"));
    }

    [Fact]
    [Rfc("7967-2.1-2")]
    public async Task No_Response_also_suppresses_errors_raised_before_the_handler()
    {
        await StartAsync();
        Assert.Equal("60000001", Exchange("40010001b174d1ea08"));
        Assert.Equal("60000002", Exchange("400100029100" + "d1ec08"));
        Exchange("400100039100" + "d1ec02").Begins("6082");
        Transport.TakeSent();
        Transport.Receive(Peer, "50010004b174d1ea08");
        Transport.HasSentNothing();
    }

    [Fact]
    [Rfc("7967-2.1-2")]
    public async Task No_Response_also_suppresses_the_5_03_of_a_busy_server()
    {
        Options.Limits.Requests.MaxServed = 1;
        TaskCompletionSource<CoapResult> running = new();
        Server.MapPut("/2", async (CoapRequestContext _) => await running.Task.ConfigureAwait(false));
        await StartAsync();
        Transport.Receive(Peer, "40030001b132");
        Exchange("40030002b132").Begins("60a3");
        Assert.Equal("60000003", Exchange("40030003b132d1ea10"));
        running.SetResult(CoapResults.Changed());
    }

    [Fact]
    [Rfc("7967-2.1-1")]
    public async Task A_No_Response_option_of_a_client_overrides_the_defaults_of_a_group_request()
    {
        MapCodes();
        await StartAsync();
        Assert.Equal(0, ToGroup("50010001b174"));
        Assert.Equal(0, ToGroup("50010002b174d1ea08"));
        Assert.Equal(1, ToGroup("50010003b174d1ea02"));
        Assert.Equal(1, ToGroup("50010004b174d0ea"));
        Assert.Equal(0, ToGroup("50030005b132d1ea02"));
        Assert.Equal(1, ToGroup("50030006b132d1ea08"));
    }

    private int ToGroup(string hex)
    {
        Transport.TakeSent();
        Transport.Receive(Peer, hex, s_group);
        Clock.Advance(FromSeconds(10));
        return Transport.TakeSent().Length;
    }

    private void MapCodes()
    {
        Server.MapPut("/2", () => Answer(CoapResults.Changed())).AllowMulticast();
        Server.MapPut("/4", () => Answer(CoapResults.NotFound())).AllowMulticast();
        Server.MapPut("/5", () => Answer(CoapResults.InternalServerError()));
    }

    private CoapResult Answer(CoapResult result)
    {
        _calls++;
        return result;
    }
}
