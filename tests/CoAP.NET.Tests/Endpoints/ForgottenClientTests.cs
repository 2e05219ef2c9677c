using System.Runtime.CompilerServices;
using CoAP.NET.Testing;

namespace CoAP.NET.Tests.Endpoints;

/// <summary>Clients that nobody disposes.</summary>
public sealed class ForgottenClientTests : EndpointTest
{
    [Fact]
    public async Task A_client_that_was_not_disposed_is_logged()
    {
        Forget(Logs, disposes: false);
        await CollectUntilAsync(() => Logs.Entries.Any(static entry => entry.Id.Id == 1606));
    }

    [Fact]
    public async Task A_client_that_was_disposed_is_not_logged()
    {
        LogCapture quiet = new();
        Forget(quiet, disposes: true);

        // Whoever was forgotten later was looked at later.
        Forget(Logs, disposes: false);
        await CollectUntilAsync(() => Logs.Entries.Any(static entry => entry.Id.Id == 1606));
        Assert.DoesNotContain(quiet.Entries, static entry => entry.Id.Id == 1606);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Forget(LogCapture logs, bool disposes)
    {
        CoapClient client = new(new CoapEndpointOptions { LoggerFactory = logs, TimeProvider = new VirtualClock() });
        client.Endpoint.AddTransport(new DirectTransport());
        client.Endpoint.StartAsync().GetAwaiter().GetResult();
        if (disposes)
        {
            client.DisposeAsync().AsTask().GetAwaiter().GetResult();
        }
    }

    private static Task CollectUntilAsync(Func<bool> condition) => Eventually.IsTrueAsync(() =>
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        return condition();
    });
}
