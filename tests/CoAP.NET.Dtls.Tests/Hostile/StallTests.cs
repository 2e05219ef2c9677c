namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>A handler or a handshake that stalls delays no other session.</summary>
public sealed class StallTests
{
    private const int Stalled = 4;

    private static readonly TimeSpan s_hangLimit = FromMinutes(2);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_key_lookup_that_never_ends_delays_no_other_session(bool blocks)
    {
        using StuckStore store = new(blocks);
        await using SecureEndpoints secure = await new SecureEndpoints(server => server.PskStore = store).StartAsync();
        using CancellationTokenSource stop = new();
        Task<CoapResponse>[] stuck = [.. Enumerable.Range(0, Stalled)
            .Select(_ => secure.Client("stuck").GetAsync($"{secure.Host}/hello", stop.Token))];
        await Eventually.IsTrueAsync(() => store.Asked == Stalled);

        await IsServedAsync(secure);

        store.Release();
        await IsServedAsync(secure);
        Assert.All(stuck, request => Assert.False(request.IsCompleted));
        await stop.CancelAsync();
        await Task.WhenAll(stuck.Select(request => Assert.ThrowsAnyAsync<OperationCanceledException>(() => request)))
            .WaitAsync(s_hangLimit);
    }

    [Fact]
    public async Task A_blocking_certificate_validation_delays_no_other_session()
    {
        using BenchAuthority authority = new();
        using X509Certificate2 server = authority.Issue("localhost", IPAddress.Loopback);
        using X509Certificate2 device = authority.Issue(forServers: false);
        using ManualResetEventSlim release = new();
        int asked = 0;
        await using SecureEndpoints secure = await new SecureEndpoints(options =>
        {
            options.Certificate = server;
            options.RequireClientCertificate = true;
            options.TrustedAuthorities.Add(authority.Certificate);
            options.ValidateClientCertificate = (_, _, _, _) =>
            {
                Interlocked.Increment(ref asked);
                release.Wait(CancellationToken.None);
                return new(true);
            };
        }).StartAsync();
        CoapDtlsClientOptions shown = new() { Certificate = device, ValidateServerCertificate = (_, _, _, _) => new(true) };
        Task<CoapResponse>[] stuck = [.. Enumerable.Range(0, Stalled)
            .Select(_ => secure.Client(configure: dtls => dtls.Client = shown).GetAsync($"{secure.Host}/hello"))];
        await Eventually.IsTrueAsync(() => Volatile.Read(ref asked) == Stalled);

        await IsServedAsync(secure);

        release.Set();
        Assert.All(await Task.WhenAll(stuck).WaitAsync(s_hangLimit), response => Assert.Equal("hello", response.GetText()));
    }

    [Fact]
    public async Task A_blocking_handler_delays_no_other_session()
    {
        using ManualResetEventSlim release = new();
        int entered = 0;
        await using SecureEndpoints secure = new();
        secure.Server.MapGet("/stuck", () =>
        {
            Interlocked.Increment(ref entered);
            release.Wait(CancellationToken.None);
            return CoapResults.Text("late");
        });
        await secure.StartAsync();
        Task<CoapResponse>[] stuck = [.. Enumerable.Range(0, Stalled).Select(_ => secure.Client().GetAsync($"{secure.Host}/stuck"))];
        await Eventually.IsTrueAsync(() => Volatile.Read(ref entered) > 0);

        await IsServedAsync(secure);

        release.Set();
        Assert.All(await Task.WhenAll(stuck).WaitAsync(s_hangLimit), response => Assert.Equal("late", response.GetText()));
    }

    // A session that is there already, and one that is made now.
    private static async Task IsServedAsync(SecureEndpoints secure)
    {
        CoapClient client = secure.Client();
        for (int i = 0; i < 10; i++)
        {
            await client.GetAsync($"{secure.Host}/hello").WaitAsync(s_hangLimit).Says("hello");
        }
    }

    private sealed class StuckStore(bool blocks) : ICoapPskStore, IDisposable
    {
        private readonly ManualResetEventSlim _release = new();
        private readonly TaskCompletionSource<ReadOnlyMemory<byte>> _found = new(RunContinuationsAsynchronously);
        private int _asked;

        public int Asked => Volatile.Read(ref _asked);

        public ValueTask<ReadOnlyMemory<byte>> FindKeyAsync(string identity, CancellationToken cancellationToken)
        {
            if (identity != "stuck")
            {
                return new(SecureEndpoints.Key);
            }

            Interlocked.Increment(ref _asked);
            if (!blocks)
            {
                return new(_found.Task);
            }

            _release.Wait(cancellationToken);
            return default;
        }

        public void Release()
        {
            _found.TrySetResult(default);
            _release.Set();
        }

        public void Dispose()
        {
            Release();
            _release.Dispose();
        }
    }
}
