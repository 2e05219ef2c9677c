using System.Collections.Concurrent;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>A directory whose registrations a cluster keeps: the same on every node.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class SeveralNodesTests
{
    private const int Endpoints = 24;

    [Fact]
    public async Task A_registration_at_a_node_is_found_changed_and_removed_at_another_node()
    {
        await using DirectoryNodes nodes = new();
        DirectoryNode one = await nodes.AddAsync();
        DirectoryNode two = await nodes.AddAsync();
        await nodes.ShareAsync();
        List<string> locations = [];
        for (int i = 0; i < Endpoints; i++)
        {
            locations.Add(await nodes.RegisterAsync(i % 2 == 0 ? one : two, $"ep=n{i}&base=coap://b", $"</{i}>;rt=light"));
        }

        await nodes.PassUntilAsync(() => one.Directory.Count == Endpoints && two.Directory.Count == Endpoints);
        foreach (string query in (string[])["res?rt=light", "ep?page=2&count=7", "res?page=1&count=5"])
        {
            string here = (await nodes.SendAsync(one, CoapMethod.Get, "/rd-lookup/" + query)).GetText();
            Assert.NotEqual("", here);
            await nodes.SendAsync(two, CoapMethod.Get, "/rd-lookup/" + query).Says(here);
        }

        for (int i = 0; i < Endpoints; i++)
        {
            // A name has one location on all nodes, and is somebody's on all of them.
            DirectoryNode other = i % 2 == 0 ? two : one;
            Assert.Equal(locations[i], await nodes.RegisterAsync(other, $"ep=n{i}&base=coap://b", $"</{i}>;rt=heat"));
            CoapResponse changed = await nodes.SendAsync(other, CoapMethod.Post, locations[i] + "?base=coap://c");
            Assert.True(changed.Code == CoapCode.Changed, changed.GetText());
        }

        await nodes.FindsAsync(one, "/rd-lookup/res?base=coap://c", found => CoapLinkFormat.Parse(found).Count == Endpoints);
        await nodes.FindsAsync(two, "/rd-lookup/res?rt=light", found => found == "");
        for (int i = 0; i < Endpoints; i++)
        {
            CoapResponse removed = await nodes.SendAsync(i % 2 == 0 ? two : one, CoapMethod.Delete, locations[i]);
            Assert.True(removed.Code == CoapCode.Deleted, removed.GetText());
        }

        await nodes.PassUntilAsync(() => one.Directory.Count == 0 && two.Directory.Count == 0);
        await nodes.SendAsync(one, CoapMethod.Post, locations[0]).Gives(CoapCode.NotFound);
        await nodes.SendAsync(two, CoapMethod.Post, locations[0]).Gives(CoapCode.NotFound);
    }

    [Fact]
    public async Task An_answered_change_is_visible_in_lookups_at_the_same_node_at_once()
    {
        await using DirectoryNodes nodes = new();
        DirectoryNode one = await nodes.AddAsync();
        DirectoryNode two = await nodes.AddAsync();
        await nodes.ShareAsync();
        for (int i = 0; i < Endpoints; i++)
        {
            string location = await nodes.RegisterAsync(one, $"ep=n{i}&base=coap://b", $"</{i}>;rt=light");
            Assert.Equal($"<coap://b/{i}>;rt=\"light\"", await FoundAsync(i));

            await nodes.SendAsync(one, CoapMethod.Post, location + "?base=coap://c");
            Assert.Equal($"<coap://c/{i}>;rt=\"light\"", await FoundAsync(i));

            await nodes.SendAsync(one, CoapMethod.Delete, location);
            Assert.Equal("", await FoundAsync(i));
        }

        // So many names are not all decided about by one node.
        Assert.NotEmpty(two.Cluster.Map.SlotsOf(two.Cluster.Self.Id));

        async Task<string> FoundAsync(int i) =>
            (await nodes.SendAsync(one, CoapMethod.Get, $"/rd-lookup/res?ep=n{i}")).GetText();
    }

    [Fact]
    public async Task Observers_at_a_node_are_notified_of_changes_at_another_node()
    {
        await using DirectoryNodes nodes = new();
        DirectoryNode one = await nodes.AddAsync();
        DirectoryNode two = await nodes.AddAsync();
        await nodes.ShareAsync();
        ConcurrentQueue<string> told = new();
        Task<CoapObservation> begun = nodes.Client.ObserveAsync(
            new CoapRequest(CoapMethod.Get, two.Uri + "/rd-lookup/res?rt=light"),
            new CoapObservationOptions { OnNotification = response => told.Enqueue(response.GetText()) });
        await nodes.PassAsync(begun);
        await nodes.PassUntilAsync(() => told.Contains(""));

        string location = await nodes.RegisterAsync(one, "ep=a&base=coap://a", "</1>;rt=light");
        await nodes.PassUntilAsync(() => told.Last() == "<coap://a/1>;rt=\"light\"");
        await nodes.RegisterAsync(one, "ep=b&base=coap://b&lt=1", "</2>;rt=light");
        await nodes.PassUntilAsync(() => told.Last().Contains("coap://b/2", Ordinal));

        // Its lifetime is over after a second.
        await nodes.PassUntilAsync(() => told.Last() == "<coap://a/1>;rt=\"light\"");
        await nodes.SendAsync(one, CoapMethod.Delete, location);
        await nodes.PassUntilAsync(() => told.Last() == "");
        await nodes.PassAsync((await begun).DisposeAsync().AsTask());
    }

    [Fact]
    public async Task A_registration_expires_on_all_nodes_and_can_be_refreshed_at_any_node()
    {
        await using DirectoryNodes nodes = new();
        DirectoryNode one = await nodes.AddAsync();
        DirectoryNode two = await nodes.AddAsync();
        await nodes.ShareAsync();
        List<string> locations = [];
        for (int i = 0; i < Endpoints; i++)
        {
            locations.Add(await nodes.RegisterAsync(one, $"ep=n{i}&base=coap://b&lt=1000", $"</{i}>;rt=light"));
        }

        await nodes.PassUntilAsync(() => two.Directory.Count == Endpoints);
        nodes.Clock.Advance(FromSeconds(600));
        for (int i = 0; i < Endpoints; i += 2)
        {
            await nodes.SendAsync(two, CoapMethod.Post, locations[i]).Gives(CoapCode.Changed);
        }

        nodes.Clock.Advance(FromSeconds(600));
        await nodes.PassUntilAsync(() => one.Directory.Count == Endpoints / 2 && two.Directory.Count == Endpoints / 2);

        // For as long again it can be refreshed, at any node; then it is gone from all.
        await nodes.SendAsync(two, CoapMethod.Post, locations[1]).Gives(CoapCode.Changed);
        await nodes.PassUntilAsync(() => one.Directory.Count == (Endpoints / 2) + 1);
        nodes.Clock.Advance(FromSeconds(2500));
        await nodes.PassUntilAsync(
            () => one.Directory.GetCounters().StoredRegistrations == 0 && two.Directory.GetCounters().StoredRegistrations == 0);
    }

    [Fact]
    public async Task New_registrations_get_5_03_during_a_store_outage_and_refreshes_and_lookups_continue()
    {
        await using DirectoryNodes nodes = new();
        DirectoryNode node = await nodes.AddAsync(timeout: FromSeconds(5));
        string location = await nodes.RegisterAsync(node, "ep=a&base=coap://a&lt=1000", "</1>;rt=light");
        nodes.Memory.IsAway = true;
        TimeSpan began = nodes.Clock.Elapsed;

        CoapResponse unavailable = await nodes.Clock.AdvanceUntilAsync(nodes.Client.SendAsync(Registration()), FromMinutes(1));
        CoapResponse refreshed = await nodes.SendAsync(node, CoapMethod.Post, location);

        unavailable.Gives(CoapCode.ServiceUnavailable);
        Assert.InRange(unavailable.MaxAge, FromSeconds(1), FromMinutes(1));
        Assert.InRange(nodes.Clock.Elapsed - began, FromSeconds(5), FromSeconds(10));
        Assert.Equal(CoapCode.Changed, refreshed.Code);
        await nodes.SendAsync(node, CoapMethod.Get, "/rd-lookup/res").Says("<coap://a/1>;rt=\"light\"");
        Assert.Equal((1, 1L), (node.Directory.Count, node.Directory.GetCounters().Unavailable));

        // Whoever asks again later is served.
        nodes.Memory.IsAway = false;
        Task<CoapResponse> again = AgainAsync();
        await nodes.Clock.AdvanceUntilAsync(again, FromMinutes(10)).Gives(CoapCode.Created);

        CoapRequest Registration() => new(CoapMethod.Post, node.Uri + "/rd?ep=b&base=coap://b")
        {
            Content = new CoapContent("</2>;rt=light"u8.ToArray(), CoapContentFormat.LinkFormat),
        };

        async Task<CoapResponse> AgainAsync()
        {
            CoapResponse response;
            do
            {
                response = await nodes.Client.SendAsync(Registration());
            }
            while (response.Code == CoapCode.ServiceUnavailable);
            return response;
        }
    }

    [Fact]
    public async Task Lookups_and_updates_get_5_03_until_all_registrations_are_loaded()
    {
        await using DirectoryNodes nodes = new();
        DirectoryNode first = await nodes.AddAsync();
        string location = await nodes.RegisterAsync(first, "ep=a&base=coap://a", "</1>;rt=light");
        await nodes.PassAsync(first.Cluster.LeaveAsync());
        await nodes.PassAsync(first.DisposeAsync().AsTask());
        DirectoryNode next = await nodes.AddAsync(isLoaded: false, timeout: FromSeconds(5));

        CoapResponse early = await nodes.SendAsync(next, CoapMethod.Get, "/rd-lookup/res");
        CoapResponse update = await nodes.Clock.AdvanceUntilAsync(
            nodes.Client.SendAsync(new CoapRequest(CoapMethod.Post, next.Uri + location)), FromMinutes(1));
        await nodes.PassAsync(next.Directory.StartAsync());
        CoapResponse loaded = await nodes.SendAsync(next, CoapMethod.Get, "/rd-lookup/res");

        Assert.Equal((CoapCode.ServiceUnavailable, FromSeconds(5)), (early.Code, early.MaxAge));
        update.Gives(CoapCode.ServiceUnavailable);
        loaded.Says("<coap://a/1>;rt=\"light\"");
        await nodes.SendAsync(next, CoapMethod.Post, location).Gives(CoapCode.Changed);
    }

    [Fact]
    public async Task The_routes_of_a_disposed_directory_answer_5_03()
    {
        await using DirectoryNodes nodes = new();
        DirectoryNode node = await nodes.AddAsync();
        await node.Directory.DisposeAsync();

        CoapResponse response = await nodes.SendAsync(node, CoapMethod.Post, "/rd?ep=a&base=coap://a", "</1>");

        response.Gives(CoapCode.ServiceUnavailable);
        Assert.True(response.MaxAge > TimeSpan.Zero);

        // The cluster takes another one then.
        await using CoapDirectoryServer next = new(node.Cluster);
        await nodes.PassAsync(next.StartAsync());
        Assert.Throws<InvalidOperationException>(() => new CoapDirectoryServer(node.Cluster));
    }
}
