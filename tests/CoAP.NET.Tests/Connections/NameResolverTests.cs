using System.Net;
using System.Net.Sockets;
using CoAP.NET.Connecting;
using CoAP.NET.Tests.Resources;

namespace CoAP.NET.Tests.Connections;

/// <summary>How many names are looked up at a time, and for whom.</summary>
public sealed class NameResolverTests
{
    private static readonly TimeSpan s_hang = HangGuard.InMemory;
    private static readonly IPAddress[] s_addresses = [IPAddress.Parse("192.0.2.1")];

    private readonly ManualTime _time = new();
    private readonly Dictionary<string, TaskCompletionSource<IPAddress[]>> _running = [];
    private readonly List<string> _askedFor = [];
    private readonly CoapNameResolver _resolver;

    public NameResolverTests() => _resolver = new CoapNameResolver(
        (name, _) =>
        {
            _askedFor.Add(name);
            return (_running[name] = new TaskCompletionSource<IPAddress[]>()).Task;
        },
        _time);

    [Fact]
    public async Task A_client_with_many_slow_lookups_leaves_lookups_for_other_clients()
    {
        Task<IPAddress[]>[] slow =
            [.. Enumerable.Range(0, 20).Select(i => _resolver.FindAsync($"n{i}.slow", Client(1)))];

        Assert.Equal(CoapNameResolver.MaxLookupsPerSource, _askedFor.Count);
        foreach (Task<IPAddress[]> refused in slow[CoapNameResolver.MaxLookupsPerSource..])
        {
            await Failure.OfAsync(CoapError.Busy, () => refused);
        }

        Task<IPAddress[]> other = _resolver.FindAsync("quick", Client(2));
        _running["quick"].SetResult(s_addresses);
        Assert.Equal(s_addresses, await other.WaitAsync(s_hang));

        _running["n0.slow"].SetResult(s_addresses);
        Assert.False(_resolver.FindAsync("next", Client(1)).IsCompleted);
    }

    [Fact]
    public async Task The_number_of_concurrent_lookups_of_all_clients_is_limited()
    {
        for (int i = 0; i < CoapNameResolver.MaxLookups; i++)
        {
            Assert.False(_resolver.FindAsync($"n{i}", Client(i)).IsCompleted);
        }

        await Failure.OfAsync(CoapError.Busy, () => _resolver.FindAsync("x", Client(99)));
        Assert.Equal(CoapNameResolver.MaxLookups, _askedFor.Count);
    }

    [Fact]
    public async Task Requests_for_one_name_share_its_look_up()
    {
        Task<IPAddress[]>[] all =
        [
            .. Enumerable.Range(0, 50).Select(i => _resolver.FindAsync(
                i % 2 == 0 ? "one.example" : "ONE.example", Client(i % 3))),
            _resolver.FindAsync("one.example"),
        ];

        Assert.Single(_askedFor);
        _running["one.example"].SetResult(s_addresses);
        Assert.All(await Task.WhenAll(all).WaitAsync(s_hang), one => Assert.Equal(s_addresses, one));
        Assert.False(_resolver.FindAsync("one.example", Client(1)).IsCompleted);
        Assert.Equal(2, _askedFor.Count);
    }

    [Fact]
    public async Task A_name_that_was_not_found_is_not_looked_up_for_clients_for_some_seconds()
    {
        Task<IPAddress[]> first = _resolver.FindAsync("none.example", Client(1));
        _running["none.example"].SetException(new SocketException((int)SocketError.HostNotFound));
        await Assert.ThrowsAsync<SocketException>(() => first);

        SocketException again = await Assert.ThrowsAsync<SocketException>(
            () => _resolver.FindAsync("none.example", Client(2)));
        Assert.Equal(SocketError.HostNotFound, again.SocketErrorCode);
        Assert.Single(_askedFor);

        // The application itself asks again, and clients do so later.
        Task<IPAddress[]> own = _resolver.FindAsync("none.example");
        Assert.Equal(2, _askedFor.Count);
        _running["none.example"].SetResult(s_addresses);
        await own.WaitAsync(s_hang);
        _time.Advance(FromSeconds(5));
        Assert.False(_resolver.FindAsync("none.example", Client(2)).IsCompleted);
    }

    [Fact]
    public async Task Lookups_of_the_application_beyond_MaxLookups_wait_for_a_free_slot()
    {
        Task<IPAddress[]>[] all = [.. Enumerable.Range(0, CoapNameResolver.MaxLookups + 2).Select(
            i => _resolver.FindAsync($"n{i}"))];
        Assert.Equal(CoapNameResolver.MaxLookups, _askedFor.Count);

        for (int i = 0; i < all.Length; i++)
        {
            _running[$"n{i}"].SetResult(s_addresses);
        }

        await Task.WhenAll(all).WaitAsync(s_hang);
        Assert.Equal(all.Length, _askedFor.Count);
    }

    [Fact]
    public async Task An_abandoned_lookup_occupies_its_slot_until_it_ends()
    {
        using CancellationTokenSource leaves = new();
        Task<IPAddress[]>[] left =
            [.. Enumerable.Range(0, CoapNameResolver.MaxLookups).Select(i => _resolver.FindAsync($"n{i}", null, leaves.Token))];
        Task<IPAddress[]> waiting = _resolver.FindAsync("w", null, leaves.Token);
        Task<IPAddress[]> last = _resolver.FindAsync("last");
        await leaves.CancelAsync();
        foreach (Task<IPAddress[]> one in (Task<IPAddress[]>[])[.. left, waiting])
        {
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => one);
        }

        await Failure.OfAsync(CoapError.Busy, () => _resolver.FindAsync("x", Client(1)));

        // The next place is for the one that waits; nobody waits for "w".
        _running["n0"].SetCanceled();
        Assert.Equal("last", _askedFor[^1]);
        _running["last"].SetResult(s_addresses);
        await last.WaitAsync(s_hang);
        Assert.False(_resolver.FindAsync("x", Client(1)).IsCompleted);
    }

    [Fact]
    public async Task The_cancellation_token_of_a_lookup_is_cancelled_when_the_last_caller_cancels()
    {
        CancellationToken given = default;
        CoapNameResolver resolver = new((_, token) =>
        {
            given = token;
            return new TaskCompletionSource<IPAddress[]>().Task.WaitAsync(token);
        });
        using CancellationTokenSource one = new();
        using CancellationTokenSource two = new();
        Task<IPAddress[]> first = resolver.FindAsync("n", null, one.Token);
        Task<IPAddress[]> second = resolver.FindAsync("n", null, two.Token);
        await one.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);
        Assert.False(given.IsCancellationRequested);
        await two.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => second);
        Assert.True(given.IsCancellationRequested);
    }

    private static CoapQuotaSource Client(int host) =>
        CoapSourceGroupingRule.Default.Of(CoapAddress.FromIPv4(0xc6336400u + (uint)host, 5683));
}
