using CoAP.NET.ResourceDirectory.Registrations;
using CoAP.NET.ResourceDirectory.Serving;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>Nodes with one directory that is full.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ClusterRoomTests
{
    private const int Most = 4;

    [Fact]
    public async Task The_source_with_the_most_registrations_is_evicted_for_a_new_source_on_all_nodes_and_in_the_store()
    {
        await using DirectoryNodes nodes = new();
        DirectoryNode one = await nodes.AddAsync(maxRegistrations: Most);
        DirectoryNode two = await nodes.AddAsync(maxRegistrations: Most);
        await nodes.ShareAsync();
        await RegisterAsync(nodes, one, "g0", 1);
        await RegisterAsync(nodes, two, "g1", 1);
        await RegisterAsync(nodes, one, "a0", 2);
        await RegisterAsync(nodes, one, "b0", 3);
        await nodes.PassUntilAsync(() => one.Directory.Count == Most && two.Directory.Count == Most);

        await RegisterAsync(nodes, two, "c0", 4);

        await nodes.PassUntilAsync(() => Has(one, "c0") && one.Directory.Count == Most && two.Directory.Count == Most);
        Assert.Equal((0L, 1L), (one.Directory.GetCounters().Evicted, two.Directory.GetCounters().Evicted));
        DirectoryNode three = await nodes.AddAsync(maxRegistrations: Most);
        await nodes.PassUntilAsync(() => three.Directory.Count == Most);
        foreach (DirectoryNode node in (DirectoryNode[])[one, two, three])
        {
            Assert.True(Has(node, "a0") && Has(node, "b0") && Has(node, "c0"));
            Assert.True(Has(node, "g0") != Has(node, "g1"));
            Assert.Equal(Has(one, "g0"), Has(node, "g0"));
        }
    }

    [Fact]
    public async Task Sources_with_equal_numbers_of_registrations_evict_no_registration_on_any_node()
    {
        await using DirectoryNodes nodes = new();
        DirectoryNode one = await nodes.AddAsync(maxRegistrations: Most);
        DirectoryNode two = await nodes.AddAsync(maxRegistrations: Most);
        await nodes.ShareAsync();
        for (int i = 0; i < Most; i++)
        {
            await RegisterAsync(nodes, i % 2 == 0 ? one : two, $"n{i}", (ulong)i + 1);
        }

        await nodes.PassUntilAsync(() => one.Directory.Count == Most && two.Directory.Count == Most);
        foreach (DirectoryNode node in (DirectoryNode[])[one, two])
        {
            Assert.Equal(CoapCode.ServiceUnavailable, (await TryRegisterAsync(nodes, node, "z0", 9))?.Code);
        }

        Assert.Equal((0L, 0L), (one.Directory.GetCounters().Evicted, two.Directory.GetCounters().Evicted));
        Assert.Equal((Most, Most), (one.Directory.Count, two.Directory.Count));
    }

    private static async Task RegisterAsync(DirectoryNodes nodes, DirectoryNode node, string name, ulong source) =>
        Assert.Null(await TryRegisterAsync(nodes, node, name, source));

    // As the handler of registrations does for a client of that source.
    private static async Task<CoapResult?> TryRegisterAsync(DirectoryNodes nodes, DirectoryNode node, string name, ulong source)
    {
        DirectoryServerState core = node.Directory.Core;
        RegistrantIdentity registrant = new(new DirectoryOwner(source, 1, source), true, [], 0);
        Registration made = Registration.Make(new RegistrationRefreshHeader(registrant.Owner, 0), new RegistrationFields
        {
            Lifetime = 1000, Endpoint = Encoding.UTF8.GetBytes(name), Base = "coap://b"u8,
        });
        Task<CoapResult?> admitted = core.Room.AdmitAsync(KeyOf(node, name), made, isVerified: true, CancellationToken.None).AsTask();
        await nodes.PassAsync(admitted);
        if (await admitted is { } full)
        {
            return full;
        }

        Task<(DirectoryDecision Answer, CoapResult? Unavailable)> asked = core.AskAsync(
            KeyOf(node, name), DirectorySlotOwnerRequest.Operation.Register, registrant, null, made.Bytes, CancellationToken.None).AsTask();
        await nodes.PassAsync(asked);
        Assert.Equal(DirectoryDecision.Done, (await asked).Answer);
        return (await asked).Unavailable;
    }

    private static bool Has(DirectoryNode node, string name) => node.Directory.Core.Index.Find(KeyOf(node, name).Bytes) is not null;

    private static CoapTableKey KeyOf(DirectoryNode node, string name) => node.Directory.Core.KeyOf(default, Encoding.UTF8.GetBytes(name));
}
