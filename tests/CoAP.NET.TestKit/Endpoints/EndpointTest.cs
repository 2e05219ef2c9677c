using CoAP.NET.Testing;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>A server on virtual time behind a <see cref="DirectTransport"/>, and peers that are just addresses.</summary>
public abstract class EndpointTest : IAsyncLifetime
{
    protected static readonly CoapAddress Peer = CoapAddress.FromIPv4(0xc0000201, 40_000);
    protected static readonly CoapAddress Other = CoapAddress.FromIPv4(0xc0000202, 40_001);

    private static readonly TimeSpan s_longest = FromHours(1);

    private protected EndpointTest()
    {
        Options = new CoapEndpointOptions
        {
            TimeProvider = Clock,
            Pipeline = { Random = new VirtualRandom(42) },
            LoggerFactory = Logs,
        };

        // Most tests are about other things than how large answers to strangers may be: see AmplificationTests.
        Options.Limits.Peers.TrustedPrefixes.Add(System.Net.IPNetwork.Parse("192.0.2.0/24"));
    }

    protected VirtualClock Clock { get; } = new();

    protected CoapEndpointOptions Options { get; }

    private protected LogCapture Logs { get; } = new();

    private protected DirectTransport Transport { get; } = new();

    protected CoapServer Server => field ??= new CoapServer(Options);

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public virtual async ValueTask DisposeAsync()
    {
        // What a test left under way may end by its time, which nobody else lets pass.
        Task disposed = Server.DisposeAsync().AsTask();
        for (int looks = 0; !disposed.IsCompleted; looks++)
        {
            await Eventually.PauseAsync(looks);
            Clock.Advance(FromSeconds(1));
        }

        await disposed;
    }

    protected async Task StartAsync()
    {
        Server.Endpoint.AddTransport(Transport);
        await Server.StartAsync();
    }

    /// <summary>Waits for something that other threads do; a guard against hanging, no assertion about time.</summary>
    protected static Task<T> Within<T>(Task<T> task) => task.WaitAsync(HangGuard.InMemory);

    /// <summary>Waits for something that other threads do; a guard against hanging, no assertion about time.</summary>
    protected static Task Within(Task task) => task.WaitAsync(HangGuard.InMemory);

    /// <summary>
    /// Waits for a task while virtual time goes on from timer to timer. For tests of <see cref="VirtualTimeCollection"/>: no time passes
    /// while any thread can still do something at the present instant. When it returns, all have done what they can at the last one.
    /// </summary>
    protected async Task<T> PassAsync<T>(Task<T> task)
    {
        await PassUntilAsync(() => task.IsCompleted);
        return await task;
    }

    /// <summary>Waits for a task while virtual time goes on. See the overload with a result for how.</summary>
    protected async Task PassAsync(Task task)
    {
        await PassUntilAsync(() => task.IsCompleted);
        await task;
    }

    /// <summary>Waits for something while virtual time goes on. See the overloads for tasks for how.</summary>
    protected async Task PassUntilAsync(Func<bool> condition)
    {
        await Clock.AdvanceUntilAsync(condition, s_longest);
        await SettleAsync();
    }

    /// <summary>
    /// Waits until everything has run that can run at the present instant. For tests of <see cref="VirtualTimeCollection"/>.
    /// </summary>
    protected Task SettleAsync() => Clock.SettleAsync();

    private protected string Exchange(string hex)
    {
        Transport.TakeSent();
        Transport.Receive(Peer, hex);
        return Assert.Single(Transport.TakeSent());
    }

    internal sealed class LogCapture : TestLogger
    {
        private readonly List<(LogLevel Level, EventId Id, string Text)> _entries = [];

        public IReadOnlyList<(LogLevel Level, EventId Id, string Text)> Entries
        {
            get
            {
                lock (_entries)
                {
                    return [.. _entries];
                }
            }
        }

        protected override void Write(LogLevel level, EventId id, string text, Exception? exception)
        {
            lock (_entries)
            {
                _entries.Add((level, id, text + exception));
            }
        }
    }
}
