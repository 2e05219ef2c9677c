using CoAP.NET.Diagnostics;
using CoAP.NET.QBlock;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>What requests and responses say beside their bodies is the same over a connection, without type and Message ID.</summary>
public class OptionsOnStreamsTests : BodiesOnStreamsTest
{
    private static readonly CoapETag s_current = new([7]);

    [Theory]
    [Rfc("8323-3.3-6")]
    [InlineData("3103aa506178", "018caa")]
    [InlineData("4103aa1107a178", "0144aa")]
    [InlineData("4103aa1108a178", "018caa")]
    public async Task If_Match_and_If_None_Match_are_checked_on_connections(string request, string response)
    {
        Server.MapPut("/x", incoming => incoming.CheckPreconditions(s_current) ?? CoapResults.Changed());
        await StartStreamsAsync();

        Assert.Equal(response, AskHex(Connect(), request));
    }

    [Fact]
    public async Task A_representation_that_the_client_has_is_answered_with_2_03()
    {
        Server.MapGet("/x",
            incoming => incoming.IsMatch(s_current) ? CoapResults.Valid(s_current) : CoapResults.Text("hi").WithETag(s_current));
        await StartStreamsAsync();
        DirectConnection connection = Connect();

        Assert.Equal("2143aa4107", AskHex(connection, "4101aa41077178"));
        Assert.Equal("6145aa410780ff6869", AskHex(connection, "4101aa41087178"));
    }

    [Theory]
    [InlineData("1a", false)]
    [InlineData("02", false)]
    [InlineData("18", true)]
    public async Task A_response_excluded_by_No_Response_is_not_sent(string unwanted, bool isSent)
    {
        int ran = 0;
        Server.MapPut("/x", () =>
        {
            ran++;
            return CoapResults.Changed();
        });
        await StartStreamsAsync();
        DirectConnection connection = Connect();

        connection.Receive($"5103aab178d1ea{unwanted}");

        Assert.Equal(isSent ? ["0144aa"] : [], connection.TakeSent());
        Assert.Equal(1, ran);
        Assert.Equal("0144ab", AskHex(connection, "2103abb178"));
    }

    [Fact]
    public async Task RequireFreshness_asks_for_an_Echo_value_and_accepts_a_fresh_one()
    {
        Server.MapPut("/x", () => CoapResults.Changed()).RequireFreshness(FromSeconds(30));
        await StartStreamsAsync();
        DirectConnection connection = Connect();

        CoapMessage challenge = Frames.Read(AskHex(connection, "2103aab178"));
        Assert.Equal(CoapCode.Unauthorized, challenge.Code);
        CoapMessage again = Frames.Request(CoapMethod.Put, "x");
        again.Options.Add(OptionNumber.Echo, Wire.Hex(challenge.ValueOf(OptionNumber.Echo)!));

        Assert.Equal("0144aa", AskHex(connection, Frames.Write(again)));
        Clock.Advance(FromSeconds(31));
        connection.TakeSent();
        Ask(connection, again).Gives(CoapCode.Unauthorized);
    }

    [Fact]
    public async Task A_peer_on_a_connection_gets_no_Echo_challenge_whatever_amount_of_data_it_requests()
    {
        byte[] body = Frames.Bytes(500_000);
        Server.MapGet("/x", () => CoapResults.Bytes(body));
        await StartStreamsAsync();
        DirectConnection connection = Streams.Accept(CoapAddress.FromIPv4(0xcb007109, 40_000));
        connection.Receive(LargeCsm);
        connection.TakeSent();

        for (int i = 0; i < 10; i++)
        {
            CoapMessage response = Ask(connection, Frames.Request(CoapMethod.Get, "x"));
            Assert.Equal(500_000, response.Payload.Length);
            Assert.Null(response.ValueOf(OptionNumber.Echo));
        }

        Assert.Equal(0, Server.Endpoint.Counters[CoapCounter.EchoChallenges]);
        Assert.Equal(0, Server.Endpoint.Counters[CoapCounter.AmplificationRefused]);
        Assert.Equal(0, Server.Endpoint.Counters[CoapCounter.AmplificationDraws]);
    }

    [Fact]
    public async Task Each_rate_limited_request_on_a_connection_gets_4_29()
    {
        Options.Limits.Requests.TooManyRequestsPerSecond = 1;
        Server.MapGet("/x", () => CoapResults.Text("hi")).RequireRateLimiting(_ => FromSeconds(9));
        await StartStreamsAsync();
        DirectConnection connection = Connect();

        // Where nothing is lost a request without an answer is one that is waited for.
        for (int i = 0; i < 20; i++)
        {
            Assert.Equal(CoapCode.TooManyRequests, Frames.Read(AskHex(connection, "2101aab178")).Code);
        }
    }

    [Theory]
    [InlineData("00", "80")]
    [InlineData("01", "45")]
    [InlineData("ff", "45")]
    public async Task A_hop_limit_of_0_gets_4_00_and_a_hop_limit_of_1_to_255_is_accepted(string hops, string code)
    {
        Server.MapGet("/x", () => CoapResults.Text("hi"));
        await StartStreamsAsync();

        CoapMessage response = Frames.Read(AskHex(Connect(), $"4101aab17851{hops}"));

        Assert.Equal(code, $"{response.Code.Value:x2}");
    }

    [Theory]
    [InlineData("05")]
    [InlineData("06")]
    [InlineData("07")]
    public async Task FETCH_PATCH_and_iPATCH_work(string code)
    {
        static CoapResult Echo(CoapRequestContext request) => CoapResults.Changed(CoapContent.Binary(request.Payload));
        Server.MapFetch("/x", Echo);
        Server.MapPatch("/x", Echo);
        Server.MapIPatch("/x", Echo);
        await StartStreamsAsync();

        // Content-Format 0, which FETCH needs.
        AskHex(Connect(), $"51{code}aab17810ff68").Ends("ff68");
    }

    [Fact]
    public async Task Q_Block1_is_an_unknown_critical_option()
    {
        Options.UseQBlock(CoapQBlockPolicy.AllowUnsecured);
        Server.MapPut("/x", () => CoapResults.Changed());
        await StartStreamsAsync();

        Assert.Equal(CoapCode.BadOption, Frames.Read(AskHex(Connect(), "4103aab1788106")).Code);
    }

    [Fact]
    public async Task Concurrent_uploads_with_different_Request_Tags_are_not_mixed()
    {
        List<string> came = [];
        Server.MapPut("/x", request =>
        {
            came.Add(Wire.Hex(request.Payload.Span[..1]) + request.Payload.Length);
            return CoapResults.Changed();
        });
        await StartStreamsAsync();
        DirectConnection connection = Connect();
        CoapMessage Part(byte tag, string block, int length)
        {
            byte[] payload = new byte[length];
            Array.Fill(payload, tag);
            CoapMessage request = Frames.Request(CoapMethod.Put, "x", block, payload: payload);
            request.Options.Add(OptionNumber.RequestTag, [tag]);
            return request;
        }

        Ask(connection, Part(1, "0f", 2048)).Gives(CoapCode.Continue);
        Ask(connection, Part(2, "0f", 4096)).Gives(CoapCode.Continue);
        Ask(connection, Part(1, "27", 5)).Gives(CoapCode.Changed);
        Ask(connection, Part(2, "47", 6)).Gives(CoapCode.Changed);

        Assert.Equal(["012053", "024102"], came);
    }
}
