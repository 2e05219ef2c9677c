using CoAP.NET.Tests;

namespace CoAP.NET.AspNetCore.Tests.Endpoints;

/// <summary>
/// What is made for one client is given to no other: every way to ask, over every transport, of every handler whose answer depends on the
/// client. What outlives a process or moves with a session is in the tests of the cluster.
/// </summary>
/// <remarks>Real clock: see <see cref="OneClientWorld"/>.</remarks>
public sealed class OneClientTests(OneClientWorld world) : IClassFixture<OneClientWorld>
{
    public static MatrixTheoryData<string, string> TransportsAndHandlers => new(OneClientWorld.Transports, OneClientWorld.Handlers);

    // FETCH has no counterpart at an HTTP back end (5.01).
    public static MatrixTheoryData<string, string> TransportsAndHandlersOfFetch =>
        new(OneClientWorld.Transports, ["peer", "policy", "endpoint"]);

    [Theory]
    [MemberData(nameof(TransportsAndHandlers))]
    public async Task Concurrent_GETs_of_two_clients_get_the_secret_of_the_client_that_asks(string transport, string handler) =>
        await AskAsync(transport, PathOf(handler, "get", transport), CoapMethod.Get);

    [Theory]
    [MemberData(nameof(TransportsAndHandlersOfFetch))]
    public async Task Concurrent_FETCHes_of_two_clients_get_the_secret_of_the_client_that_asks(string transport, string handler) =>
        await AskAsync(transport, PathOf(handler, "fetch", transport), CoapMethod.Fetch);

    [Theory]
    [MemberData(nameof(TransportsAndHandlers))]
    public async Task Concurrent_blockwise_GETs_of_two_clients_get_the_secret_of_the_client_that_asks(string transport, string handler) =>
        await AskAsync(transport, PathOf(handler, "block-wise", transport), CoapMethod.Get);

    [Theory]
    [MemberData(nameof(TransportsAndHandlers))]
    public async Task The_entity_tag_of_another_client_validates_nothing(string transport, string handler)
    {
        string path = PathOf(handler, "tags", transport);
        CoapETag alices = (await world.AskAsync(transport, "alice", CoapMethod.Get, path)).Options.ETag!.Value;

        await world.AskAsync(transport, "alice", CoapMethod.Get, path, alices).Gives(CoapCode.Valid);
        CoapResponse bobs = await world.AskAsync(transport, "bob", CoapMethod.Get, path, alices);

        bobs.Says(world.SecretOf("bob", path));
        Assert.NotEqual(alices, bobs.Options.ETag);
    }

    [Theory]
    [MemberData(nameof(TransportsAndHandlers))]
    public async Task Two_observers_are_notified_of_their_own_secrets_only(string transport, string handler) =>
        await ObserveAsync(transport, PathOf(handler, "observe", transport), CoapMethod.Get);

    [Theory]
    [MemberData(nameof(TransportsAndHandlersOfFetch))]
    public async Task Two_observers_by_FETCH_are_notified_of_their_own_secrets_only(string transport, string handler) =>
        await ObserveAsync(transport, PathOf(handler, "observe-fetch", transport), CoapMethod.Fetch);

    [Theory]
    [MemberData(nameof(TransportsAndHandlers))]
    public async Task Two_observers_of_a_blockwise_body_are_notified_of_their_own_secrets_only(string transport, string handler) =>
        await ObserveAsync(transport, PathOf(handler, "observe-block-wise", transport), CoapMethod.Get);

    // Each cell has a resource of its own, whose path says to the world what it is like.
    private static string PathOf(string handler, string operation, string transport) =>
        $"/{handler}/{operation}/{Array.IndexOf(OneClientWorld.Transports, transport)}";

    private async Task AskAsync(string transport, string path, CoapMethod method)
    {
        for (int i = 0; i < 2; i++)
        {
            world.Change("alice", path);
            world.Change("bob", path);
            string[] asking = ["alice", "bob", "bob", "alice"];
            CoapResponse[] responses = await Task.WhenAll(
                asking.Select(who => world.AskAsync(transport, who, method, path)));
            Assert.Equal(asking.Select(who => world.SecretOf(who, path)), responses.Select(response => response.GetText()));
        }
    }

    private async Task ObserveAsync(string transport, string path, CoapMethod method)
    {
        ConcurrentQueue<string> alices = [];
        ConcurrentQueue<string> bobs = [];
        await using (CoapObservation alice = await world.ObserveAsync(transport, "alice", method, path, alices.Enqueue))
        await using (CoapObservation bob = await world.ObserveAsync(transport, "bob", method, path, bobs.Enqueue))
        {
            Assert.Equal((CoapObserveState.Observing, CoapObserveState.Observing), (alice.State, bob.State));
            foreach (string who in (string[])["alice", "bob", "alice", "bob", "bob"])
            {
                string secret = world.Change(who, path);
                CoapObservation observation = who == "alice" ? alice : bob;
                await Eventually.IsTrueAsync(() => observation.Latest?.GetText() == secret);
            }
        }

        Assert.All(alices, static heard => Assert.Matches("^2.05.* secret of alice", heard), throwIfEmpty: true);
        Assert.All(alices, static heard => Assert.DoesNotContain("bob", heard, Ordinal));
        Assert.All(bobs, static heard => Assert.Matches("^2.05.* secret of bob", heard), throwIfEmpty: true);
        Assert.All(bobs, static heard => Assert.DoesNotContain("alice", heard, Ordinal));

        // The proxy ends the registrations that it has for them.
        world.Clock.Advance(FromSeconds(40));
    }
}
