using System.Collections.Concurrent;
using System.Diagnostics;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Tests.Diagnostics;

[Collection(TelemetryCollection.Name)]
public sealed class SpanTests : EndpointTest
{
    private readonly ConcurrentQueue<Activity> _stopped = new();
    private readonly ActivityListener _listener;

    public SpanTests()
    {
        _listener = new ActivityListener
        {
            ShouldListenTo = static source => source.Name == CoapTelemetry.ActivitySourceName,
            Sample = static (ref _) => ActivitySamplingResult.AllDataAndRecorded,
            ActivityStopped = _stopped.Enqueue,
        };
        ActivitySource.AddActivityListener(_listener);
    }

    public override async ValueTask DisposeAsync()
    {
        await base.DisposeAsync();
        _listener.Dispose();
    }

    [Fact]
    public async Task A_served_request_is_a_span_named_after_its_route_and_current_in_its_handler()
    {
        Activity? current = null;
        Server.MapGet("/devices/{id}", () =>
        {
            current = Activity.Current;
            return CoapResults.Text("on");
        });
        await StartAsync();
        Exchange("40010001b7646576696365730137");
        Activity span = Assert.Single(_stopped);
        Assert.Same(span, current);
        Assert.Null(Activity.Current);
        Assert.Equal(("GET /devices/{id}", ActivityKind.Server, ActivityStatusCode.Unset), (span.DisplayName, span.Kind, span.Status));
        Assert.Equal("/devices/{id}", span.GetTagItem("coap.route"));
        Assert.Equal("/devices/7", span.GetTagItem("url.path"));
        Assert.Equal("2.05", span.GetTagItem("coap.response.code"));
        Assert.Equal("192.0.2.1", span.GetTagItem("network.peer.address"));
        Assert.Null(span.Parent);
    }

    [Fact]
    public async Task A_span_of_a_5_xx_response_is_an_error_and_a_span_of_a_4_xx_response_is_not()
    {
        Server.MapGet("/bad", CoapResult () => throw new InvalidOperationException("broken"));
        await StartAsync();
        Exchange("40010001b3626164");
        Exchange("40010002b178");
        Activity[] spans = [.. _stopped];
        Assert.Equal(["GET /bad", "GET"], spans.Select(static span => span.DisplayName));
        Assert.Equal([ActivityStatusCode.Error, ActivityStatusCode.Unset], spans.Select(static span => span.Status));
        Assert.Equal("5.00", spans[0].GetTagItem("error.type"));
        Assert.Equal("exception", Assert.Single(spans[0].Events).Name);
    }

    [Fact]
    public async Task A_span_of_a_handler_that_waits_ends_with_its_answer()
    {
        TaskCompletionSource<CoapResult> late = new();
        Server.MapGet("/slow", (CoapRequestContext _, CancellationToken _) => late.Task);
        await StartAsync();
        Transport.Receive(Peer, "40010001b4736c6f77");
        Assert.Empty(_stopped);
        Clock.Advance(FromSeconds(5));
        TaskCompletionSource<bool> sent = new(RunContinuationsAsynchronously);
        Transport.OnSent = (_, _) => sent.TrySetResult(true);
        late.SetResult(CoapResults.Text("done"));
        await Within(sent.Task);
        Assert.Equal(FromSeconds(5), Assert.Single(_stopped).Duration);
    }

    [Fact]
    public async Task An_outgoing_request_is_a_single_span_that_counts_its_retransmissions()
    {
        await StartAsync();
        Task<CoapResponse> response = Server.Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.2:40001/a/b?secret=1"));
        Clock.Advance(FromSeconds(4));
        byte[] sent = Wire.Hex(Transport.TakeSent()[^1]);
        Transport.Receive(Other, $"6{sent[0] & 15:x}84{Wire.Hex(sent.AsSpan(2, 2))}{Wire.Hex(sent.AsSpan(4, sent[0] & 15))}");
        await Within(response);
        Activity span = Assert.Single(_stopped);
        Assert.Equal(("GET", ActivityKind.Client, ActivityStatusCode.Error), (span.DisplayName, span.Kind, span.Status));
        Assert.Equal("4.04", span.GetTagItem("error.type"));
        Assert.Equal(1, span.GetTagItem("coap.retransmissions"));
        Assert.Equal(1, span.GetTagItem("coap.exchanges"));
        Assert.Equal("/a/b", span.GetTagItem("url.path"));
        Assert.Equal("192.0.2.2", span.GetTagItem("server.address"));
        Assert.DoesNotContain(span.TagObjects, tag => tag.Value is string text && text.Contains("secret", Ordinal));
    }

    [Fact]
    public async Task Blocks_of_a_body_are_events_of_one_span()
    {
        await StartAsync();
        Transport.OnSent = (_, bytes) =>
        {
            int length = bytes[0] & 15;
            CoapMessage request = CoAP.NET.CoapDatagramSerializer.Default.Deserialize(bytes);
            CoapMessage answer = new(CoapCode.Content)
            {
                Type = CoapMessageType.Acknowledgement,
                MessageId = request.MessageId,
                Token = request.Token,
                Payload = new byte[16]
            };
            int number = request.Options.Block2?.Number ?? 0;
            answer.Options.Block2 = CoAP.NET.BlockValue.FromSize(number, number < 3, 16);
            Transport.Receive(Other, CoAP.NET.CoapDatagramSerializer.Default.Serialize(answer));
        };
        CoapResponse response = await Within(Server.Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.2:40001/big")));
        Assert.Equal(64, response.Message.Payload.Length);
        Activity span = Assert.Single(_stopped);
        Assert.Equal(4, span.GetTagItem("coap.exchanges"));
        Assert.Equal([1L, 2L, 3L], span.Events.Select(static one => one.Tags.Single(static tag => tag.Key == "coap.block.number").Value));
    }

    [Fact]
    public async Task The_server_continues_the_trace_of_the_client_when_both_configure_a_trace_context_option()
    {
        Options.Telemetry.TraceContextOption = CoapTelemetry.SuggestedTraceContextOption;
        Server.MapGet("/t", () => "x");
        await StartAsync();
        List<byte[]> sent = [];
        Transport.OnSent = (_, bytes) => sent.Add(bytes);
        Task<CoapResponse> response = Server.Endpoint.SendAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.2:40001/t"));
        Transport.Receive(Peer, sent[0]);
        byte[] answer = sent[1];
        Transport.Receive(Other, answer);
        await Within(response).Says("x");
        Activity server = Assert.Single(_stopped, static span => span.Kind == ActivityKind.Server);
        Activity client = Assert.Single(_stopped, static span => span.Kind == ActivityKind.Client);
        Assert.Equal((client.TraceId, client.SpanId), (server.TraceId, server.ParentSpanId));
        Assert.True(server.HasRemoteParent);
    }

    [Fact]
    public async Task An_observation_is_a_span_until_its_first_notification_and_its_server_runs_are_spans()
    {
        Server.MapGet("/o", () => "1").Observable();
        await StartAsync();
        Transport.OnSent = (_, bytes) =>
            Transport.Receive(Other,
                $"6{bytes[0] & 15:x}45{Wire.Hex(bytes.AsSpan(2, 2))}{Wire.Hex(bytes.AsSpan(4, bytes[0] & 15))}6101ff31");
        await using (await Within(Server.Endpoint.ObserveAsync(new CoapRequest(CoapMethod.Get, "coap://192.0.2.2:40001/o"))))
        {
            Activity span = Assert.Single(_stopped);
            Assert.Equal(("OBSERVE", ActivityKind.Client, "2.05"), (span.DisplayName, span.Kind, span.GetTagItem("coap.response.code")));
            Assert.Equal("register", span.GetTagItem("coap.observe"));
            Transport.OnSent = null;
        }

        _stopped.Clear();
        Transport.Receive(Peer, "410100025560516f");
        Server.Notify("/o");
        Clock.Advance(FromSeconds(1));
        Assert.Contains(_stopped,
            static span => span is { DisplayName: "GET /o", Kind: ActivityKind.Server }
                && Equals(span.GetTagItem("coap.observe"), "register"));
        Assert.Contains(_stopped, static span => span is { DisplayName: "NOTIFY /o", Kind: ActivityKind.Producer });
    }

    [Theory]
    [InlineData("")]
    [InlineData("00")]
    [InlineData("00000000000000000000000000000000000000000000000001")]
    [InlineData("0102030405060708090a0b0c0d0e0f10000000000000000001")]
    public void A_malformed_trace_context_is_not_read(string hex) => Assert.False(TraceContext.TryRead(Wire.Hex(hex), out _));

    [Theory]
    [InlineData(65_309)]
    [InlineData(65_306)]
    [InlineData(2_076)]
    [InlineData(65_536 + 28)]
    public void An_option_that_would_change_what_a_request_means_carries_no_trace(int number) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Options.Telemetry.TraceContextOption = number);

    [Fact]
    public async Task An_exception_of_an_activity_listener_does_not_affect_the_response()
    {
        using ActivityListener bad = new()
        {
            ShouldListenTo = static source => source.Name == CoapTelemetry.ActivitySourceName,
            Sample = static (ref _) => throw new InvalidOperationException("listener"),
        };
        ActivitySource.AddActivityListener(bad);
        Server.MapGet("/", () => "x");
        await StartAsync();
        Assert.Equal("60450001c0ff78", Exchange("40010001"));
        Assert.NotEqual(0, Server.Counters[CoapCounter.StageErrors]);
    }
}
