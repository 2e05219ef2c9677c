using System.Reflection;

namespace CoAP.NET.Oscore.Tests.Endpoints;

/// <summary>The bounds that <see cref="OscoreLimits"/> sets.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class LimitsTests : IAsyncLifetime
{
    private readonly OscoreWorld _world = new();
    private readonly TaskCompletionSource<CoapResult> _late = new(RunContinuationsAsynchronously);
    private readonly Silent _resolver = new();
    private int _waiting;

    public static TheoryData<string> Names =>
    [
        .. typeof(OscoreLimits).GetProperties().Where(limit => limit.PropertyType == typeof(int))
            .Select(limit => limit.Name),
    ];

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public async ValueTask DisposeAsync() => await _world.DisposeAsync();

    [Theory]
    [MemberData(nameof(Names))]
    public void A_limit_must_be_at_least_one(string name)
    {
        PropertyInfo limit = typeof(OscoreLimits).GetProperty(name)!;
        OscoreLimits limits = new();
        limit.SetValue(limits, 1);

        Assert.Equal(1, limit.GetValue(limits));
        TargetInvocationException refused = Assert.Throws<TargetInvocationException>(() => limit.SetValue(limits, 0));
        Assert.IsType<ArgumentOutOfRangeException>(refused.InnerException);
    }

    [Fact]
    public void UnknownIdTime_must_be_between_zero_and_a_day()
    {
        OscoreLimits limits = new() { UnknownIdTime = TimeSpan.Zero };

        Assert.Throws<ArgumentOutOfRangeException>(() => limits.UnknownIdTime = FromTicks(-1));
        Assert.Throws<ArgumentOutOfRangeException>(() => limits.UnknownIdTime = FromDays(1.5));
    }

    [Fact]
    public async Task Concurrent_lookups_are_limited_in_total_and_for_each_source()
    {
        OscoreContexts contexts = new() { Resolver = _resolver, Limits = new OscoreLimits { MaxLookups = 3, MaxLookupsPerSource = 2 } };
        await ServeAsync(contexts);

        for (int source = 1; source <= 3; source++)
        {
            using ScriptedPeer stranger = PeerAt($"[2001:db8:{source}::1]:1000");
            for (int i = 0; i < 5; i++)
            {
                stranger.Send(Forged((source * 16) + i));
            }
        }

        Assert.Equal([0x10, 0x11, 0x20], _resolver.Asked);
        Assert.Equal(12, contexts.GetCounters().LookupsRefused);
    }

    [Fact]
    public async Task The_rates_of_lookups_and_refusals_of_a_source_are_limited()
    {
        OscoreContexts contexts = new()
        {
            Resolver = _resolver,
            Limits = new OscoreLimits { LookupBurst = 3, LookupsPerSecond = 1, RefusalBurst = 2, RefusalsPerSecond = 1 },
        };
        _resolver.Answer.SetResult(null);
        await ServeAsync(contexts);
        using ScriptedPeer stranger = PeerAt("[2001:db8:7::1]:1000");

        for (int i = 0; i < 10; i++)
        {
            stranger.Send(Forged(i));
            await _world.Clock.AdvanceUntilAsync(() => contexts.GetCounters().UnknownContexts == i + 1, FromMinutes(1));
        }

        await _world.Clock.AdvanceUntilAsync(() => stranger.Pending == 10, FromMilliseconds(500));
        int answers = 0;
        while (stranger.Receive() is { } received)
        {
            answers += received.Data.Span[1] == 0 ? 0 : 1; // the others are acknowledgements alone
        }

        Assert.Equal((3, 2), (_resolver.Asked.Count, answers));
    }

    [Fact]
    public async Task An_unknown_ID_is_forgotten_after_its_time_or_when_the_limit_is_reached()
    {
        OscoreContexts contexts = new()
        {
            Resolver = _resolver,
            Limits = new OscoreLimits { MaxUnknownIds = 1, UnknownIdTime = FromSeconds(5) },
        };
        _resolver.Answer.SetResult(null);
        await ServeAsync(contexts);
        using ScriptedPeer stranger = PeerAt("[2001:db8:7::1]:1000");
        int sent = 0;
        async Task AskAsync(int id)
        {
            stranger.Send(Forged(id, sent++));
            await _world.Clock.AdvanceUntilAsync(() => contexts.GetCounters().UnknownContexts == sent, FromMinutes(1));
        }

        await AskAsync(1);
        await AskAsync(1);
        await AskAsync(2); // in the only place
        await AskAsync(1);
        await AskAsync(1);
        Assert.Equal([1, 2, 1], _resolver.Asked);

        TimeSpan later = _world.Clock.Elapsed + FromSeconds(5);
        await _world.Clock.AdvanceUntilAsync(() => _world.Clock.Elapsed >= later, FromMinutes(1));
        await AskAsync(1);
        Assert.Equal([1, 2, 1, 1], _resolver.Asked);
    }

    [Fact]
    public async Task The_oldest_waiting_request_of_a_peer_that_exceeds_the_limit_gets_no_response()
    {
        OscoreContexts contexts = new() { Limits = new OscoreLimits { MaxRequestsPerPeer = 2 } };
        contexts.Add(OscoreWorld.ServerContext());
        await ServeAsync(contexts);
        CoapClient client = _world.Client(OscoreWorld.ClientContext(), options =>
            options.Parameters = options.Parameters with { NStart = 10 });

        Task<CoapResponse>[] asked = new Task<CoapResponse>[3];
        for (int i = 0; i < asked.Length; i++)
        {
            asked[i] = client.GetAsync(OscoreWorld.ServerUri + "/late", new CancellationTokenSource().Token);
            await _world.Clock.AdvanceUntilAsync(() => Volatile.Read(ref _waiting) == i + 1, FromMinutes(1));
        }

        _late.SetResult(CoapResults.Text("late"));

        await _world.RunAsync(asked[1]).Says("late");
        await _world.RunAsync(asked[2]).Says("late");
        Assert.False(asked[0].IsCompletedSuccessfully);
    }

    private static byte[] Forged(int id, int? messageId = null)
    {
        CoapMessage message = new(CoapCode.Post)
        {
            Type = CoapMessageType.Confirmable,
            MessageId = (ushort)(messageId ?? id),
            Payload = new byte[20],
        };
        message.Options.Add(OptionNumber.Oscore, [0x09, 0x00, (byte)id]);
        return CoapDatagramSerializer.Default.Serialize(message);
    }

    private ScriptedPeer PeerAt(string address) =>
        _world.Network.CreatePeer(InMemoryNetwork.Address(address), InMemoryNetwork.Address("[2001:db8::1]:5683"));

    private async Task ServeAsync(OscoreContexts contexts)
    {
        CoapServer server = _world.Server(options => options.UseOscore(contexts));
        server.MapGet("/late", (CoapRequestContext _, CancellationToken _) =>
        {
            Interlocked.Increment(ref _waiting);
            return new ValueTask<CoapResult>(_late.Task);
        });
        await server.StartAsync();
    }

    private sealed class Silent : IOscoreContextResolver
    {
        public List<int> Asked { get; } = [];

        public TaskCompletionSource<OscoreContext?> Answer { get; } = new();

        public async ValueTask<OscoreContext?> FindAsync(
            ReadOnlyMemory<byte> kid, ReadOnlyMemory<byte>? idContext, CancellationToken cancellationToken)
        {
            Asked.Add(kid.Span[0]);
            return await Answer.Task;
        }
    }
}
