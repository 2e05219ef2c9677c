using System.Runtime.CompilerServices;
using CoAP.NET.Proxy.Admission;
using CoAP.NET.Tests.Endpoints;

namespace CoAP.NET.Proxy.Tests;

/// <summary>What is kept of requests to find equal ones, and of targets to know them again.</summary>
public sealed class RequestKeyTests
{
    private const string Target = "coap://s.example.com/a";

    private static readonly NoUpstream s_upstream = new();

    // Only its identity counts.
    private static readonly CoapChannel s_client = (CoapChannel)RuntimeHelpers.GetUninitializedObject(typeof(CoapChannel));

    [Fact]
    public void Requests_that_differ_in_a_relevant_part_have_different_keys()
    {
        string longer = new('x', 300);
        string[] keys =
        [
            KeyOf(Target),
            KeyOf(Target + "b"),
            KeyOf(Target, options: [new AcceptOption(CoapContentFormat.Json)]),
            KeyOf(Target, options: [new AcceptOption(CoapContentFormat.Cbor)]),
            KeyOf(Target, options: [new HopLimitOption(3)]),
            KeyOf(Target, options: [new HopLimitOption(4)]),
            KeyOf(Target, payload: "1"),
            KeyOf(Target, CoapMethod.Fetch, payload: "1"),
            KeyOf(Target, CoapMethod.Fetch, payload: "12"),
            KeyOf(Target, CoapMethod.Fetch, payload: longer),
            KeyOf(Target, CoapMethod.Fetch, payload: longer + "1"),
            KeyOf(Target + longer),
            KeyOf(Target + longer, CoapMethod.Fetch),
        ];

        Assert.Equal(keys.Length, keys.Distinct(StringComparer.Ordinal).Count());
        Assert.All(keys, key => Assert.InRange(key.Length, 1, 256));
        Assert.Equal(keys[0], KeyOf(Target));
        Assert.Equal(keys[^1], KeyOf(Target + longer, CoapMethod.Fetch));
        Assert.Equal(keys[0], KeyOf(Target, options: [new ETagOption([1])]));
        Assert.NotEqual(keys[0], KeyOf(Target, withTags: true, options: [new ETagOption([1])]));
    }

    [Fact]
    public void Requests_that_differ_in_a_relevant_part_are_not_shared_while_in_progress()
    {
        SharedRequestKey[] keys =
        [
            FlightOf(Target),
            FlightOf(Target + "b"),
            FlightOf(Target, options: [new AcceptOption(CoapContentFormat.Json)]),
            FlightOf(Target, options: [new AcceptOption(CoapContentFormat.Cbor)]),
            FlightOf(Target, options: [new AcceptOption(CoapContentFormat.Cbor), new HopLimitOption(3)]),
            FlightOf(Target, options: [new HopLimitOption(3)]),
            FlightOf(Target, options: [new HopLimitOption(4)]),
            FlightOf(Target, payload: "1"),
            FlightOf(Target, CoapMethod.Fetch, payload: "1"),
            FlightOf(Target, CoapMethod.Fetch, payload: "12"),
            FlightOf(Target, withTags: true),
            FlightOf(Target, withTags: true, options: [new ETagOption([1])]),
            FlightOf(Target, client: s_client),
        ];

        Assert.Equal(keys.Length, keys.Distinct().Count());
        Assert.Equal(keys[0], FlightOf(Target, options: [new ETagOption([1])]));
        Assert.Equal(keys[3], FlightOf(Target, options: [new ETagOption([1]), new AcceptOption(CoapContentFormat.Cbor)]));
        Assert.Equal(keys[3].GetHashCode(), FlightOf(Target, options: [new AcceptOption(CoapContentFormat.Cbor), new ETagOption([1])])
            .GetHashCode());
        Assert.Equal(keys[12], FlightOf(Target, client: s_client));
    }

    [Fact]
    public async Task A_finished_flight_object_is_reused_unless_a_caller_may_still_reference_it()
    {
        CoapSingleFlight<string, string> flights = new();
        CoapSingleFlight<string, string>.Flight first = Begin("a", default);
        flights.End(first, "1", mayReuse: true, default);
        Assert.Same(first, Begin("b", default));
        Assert.NotSame(first, Begin("a", default));
        flights.End(first, "2", mayReuse: false, default);
        Assert.NotSame(first, Begin("b", default));

        // Somebody joined.
        CoapSingleFlight<string, string>.Flight joined = Begin("c", default);
        flights.Enter("c", out Task<string>? running);
        flights.End(joined, "3", mayReuse: true, default);
        Assert.Equal("3", await running!);
        Assert.NotSame(joined, Begin("d", default));

        // The one who waited has left.
        using CancellationTokenSource gone = new();
        CoapSingleFlight<string, string>.Flight left = Begin("e", gone.Token);
        await gone.CancelAsync();
        Assert.True(left.Abandoned.IsCancellationRequested);
        Assert.Throws<OperationCanceledException>(() => flights.End(left, "4", mayReuse: true, gone.Token));
        Assert.NotSame(left, Begin("f", default));

        CoapSingleFlight<string, string>.Flight Begin(string key, CancellationToken cancellationToken)
        {
            CoapSingleFlight<string, string>.Flight flight = flights.Enter(key, out Task<string>? there);
            Assert.Null(there);
            flight.LeaveWith(cancellationToken);
            return flight;
        }
    }

    [Fact]
    public void A_refused_target_is_evaluated_again_when_the_allowed_targets_change()
    {
        CoapProxyTargets targets = new();
        ParsedTargetCache known = new(targets);
        ParsedTarget denied = known.Find("COAP://S.example.com:5683/a");
        Assert.True(denied.IsDenied);
        Assert.Same(denied, known.Find("COAP://S.example.com:5683/a"));

        Assert.Same(denied, known.TryFind("COAP://S.example.com:5683/a"u8));
        Assert.Null(known.TryFind("coap://s.example.com/a"u8));

        targets.AllowHost("s.example.com");
        Assert.Null(known.TryFind("COAP://S.example.com:5683/a"u8));
        ParsedTarget allowed = known.Find("COAP://S.example.com:5683/a");
        Assert.False(allowed.IsDenied);
        Assert.Null(allowed.Refused);
        Assert.Equal(Target, allowed.Normal);
        Assert.Equal("coap", allowed.Scheme);
        Assert.True(known.Find("coap://other.example.com/").IsDenied);
        Assert.Equal(CoapCode.NotImplemented, known.Find("coap://[ff02::1]/").Refused);
        Assert.Equal(CoapCode.BadRequest, known.Find("coap://s.example.com:0/").Refused);
        Assert.Equal(CoapCode.BadRequest, known.Find("coap:s").Refused);
    }

    private static string KeyOf(
        string target, CoapMethod method = CoapMethod.Get, bool withTags = false, string payload = "", params CoapOption[] options) =>
        RequestSharing.KeyOf(Make(target, method, payload, options), withTags);

    private static SharedRequestKey FlightOf(
        string target, CoapMethod method = CoapMethod.Get, bool withTags = false, string payload = "", CoapChannel? client = null,
        params CoapOption[] options) =>
        new(s_upstream, Make(target, method, payload, options), withTags, client);

    private static CoapForwardedRequest Make(string target, CoapMethod method, string payload, CoapOption[] options)
    {
        CoapRequestContext received = ReceivedRequest.Of(
            new CoapMessage(method) { Payload = Encoding.UTF8.GetBytes(payload) });
        CoapOptionCollection forwarded = new();
        foreach (CoapOption option in options)
        {
            forwarded.Add(option);
        }

        return new CoapForwardedRequest(received, default, target, forwarded, FromSeconds(1), null, mayBeShared: true);
    }

    private sealed class NoUpstream : UpstreamClient
    {
        public override IReadOnlyCollection<string> Schemes => [];

        public override Task<CoapResult> SendAsync(CoapForwardedRequest request, CancellationToken cancellationToken) =>
            throw new NotSupportedException();
    }
}
