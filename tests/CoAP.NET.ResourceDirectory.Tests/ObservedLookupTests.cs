using System.Threading.Channels;

namespace CoAP.NET.ResourceDirectory.Tests;

/// <summary>Lookups that are observed (RFC 9176 section 6.1, RFC 7641).</summary>
[Collection(VirtualTimeCollection.Name)]
public class ObservedLookupTests
{
    [Fact]
    public async Task Observers_of_a_lookup_are_notified_only_when_their_result_changes()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        Observed lights = await ObserveAsync(world, "/rd-lookup/res?rt=light");
        Observed endpoints = await ObserveAsync(world, "/rd-lookup/ep?et=lamp");

        string location = await world.RegisterAsync("ep=a&et=lamp&lt=100", "</1>;rt=\"light\"");
        string[] came = [await NextAsync(world, lights), await NextAsync(world, endpoints)];

        // Nothing of what they look up.
        await world.RegisterAsync("ep=b", "</1>;rt=\"heat\"");
        await world.PostAsync(location);
        world.Clock.Advance(FromSeconds(5));
        int quiet = world.Directory.GetCounters().Notices > 2 ? 1 : 0;

        await world.PostAsync(location + "?base=coap://other");
        string moved = await NextAsync(world, lights);
        world.Clock.Advance(FromSeconds(101));
        string over = await NextAsync(world, lights);

        Assert.Equal("<coap://[2001:db8::2]/1>;rt=\"light\"", came[0]);
        Assert.Contains("ep=\"a\"", came[1]);
        Assert.Equal(0, quiet);
        Assert.Equal("<coap://other/1>;rt=\"light\"", moved);
        Assert.Equal("", over);
    }

    [Fact]
    public async Task Many_concurrent_changes_cause_a_single_notification_for_the_affected_observers()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        Observed lights = await ObserveAsync(world, "/rd-lookup/res?rt=light");
        await ObserveAsync(world, "/rd-lookup/res?rt=heat");

        for (int i = 0; i < 200; i++)
        {
            await world.RegisterAsync($"ep=n{i}", $"</{i}>;rt=\"light\"");
        }

        await world.Clock.AdvanceUntilAsync(() => world.Directory.GetCounters().Notices > 0, FromSeconds(10));
        string told = await NextAsync(world, lights);
        world.Clock.Advance(FromSeconds(5));

        Assert.Equal(200, CoapLinkFormat.Parse(told).Count);
        Assert.InRange(world.Directory.GetCounters().Notices, 1, 3);
    }

    [Fact]
    public async Task Lookups_that_are_no_longer_observed_free_their_capacity()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync();
        Observed lights = await ObserveAsync(world, "/rd-lookup/res?rt=light");
        int before = world.Directory.GetCounters().Watched;

        await world.Clock.AdvanceUntilAsync(lights.Observation.DisposeAsync().AsTask(), FromMinutes(1));
        await world.Clock.AdvanceUntilAsync(() => world.Directory.GetCounters().Watched == 0, FromMinutes(10));

        Assert.Equal(1, before);
    }

    [Fact]
    public async Task A_source_that_exceeds_its_share_of_observations_gets_responses_without_Observe()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options => options.Limits.MaxWatched = 10);
        CoapClient other = world.MakeClient("[2001:db8:1::2]:5683");
        await VerifyAsync(world, other);
        int observed = 0;
        for (int i = 0; i < 10; i++)
        {
            CoapRequest request = new(CoapMethod.Get, $"{DirectoryWorld.Uri}/rd-lookup/res?rt=x{i}");
            request.Options.Observe = 0;
            observed += (await world.SendAsync(request)).Options.Observe is not null ? 1 : 0;
        }

        CoapRequest others = new(CoapMethod.Get, $"{DirectoryWorld.Uri}/rd-lookup/res?rt=y");
        others.Options.Observe = 0;

        Assert.Equal(5, observed);
        Assert.NotNull((await world.SendAsync(others, other)).Options.Observe);
        Assert.Equal(5, world.Directory.GetCounters().WatchesRefused);
    }

    [Fact]
    public async Task Unverified_addresses_get_half_of_the_observations_however_many_they_are()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options => options.Limits.MaxWatched = 6);
        int observed = 0;
        for (int i = 1; i <= 12; i++)
        {
            bool may = await MayObserveAsync(world, world.MakeClient($"[2001:db8:{i}::2]:5683"), $"/rd-lookup/res?rt=x{i}");
            observed += may ? 1 : 0;
        }

        Assert.Equal((3, 9L), (observed, world.Directory.GetCounters().WatchesRefused));
        await VerifyAsync(world, world.Node);
        Assert.True(await MayObserveAsync(world, world.Node, "/rd-lookup/res?rt=y"));
    }

    [Fact]
    public async Task The_source_with_the_most_observations_loses_its_oldest_to_a_source_with_fewer()
    {
        await using DirectoryWorld world = await DirectoryWorld.StartAsync(options => options.Limits.MaxWatched = 4);
        CoapClient[] others = [.. Enumerable.Range(1, 4).Select(i => world.MakeClient($"[2001:db8:{i}::2]:5683"))];
        await VerifyAsync(world, world.Node);
        Observed first = await ObserveAsync(world, "/rd-lookup/res?rt=a");
        Observed second = await ObserveAsync(world, "/rd-lookup/res?rt=b");
        foreach (CoapClient other in others[..2])
        {
            await VerifyAsync(world, other);
            Assert.True(await MayObserveAsync(world, other, "/rd-lookup/res?rt=x" + Array.IndexOf(others, other)));
        }

        // Full: the first one has two. Nobody is evicted for an address that may be forged.
        Assert.False(await MayObserveAsync(world, others[2], "/rd-lookup/res?rt=y"));
        Assert.Equal(0, world.Directory.GetCounters().ObservedLookupsEvicted);
        await VerifyAsync(world, others[2]);
        Assert.True(await MayObserveAsync(world, others[2], "/rd-lookup/res?rt=y"));
        await world.Clock.AdvanceUntilAsync(() => first.Observation.State != CoapObserveState.Observing, FromSeconds(10));
        CoapDirectoryCounters counters = world.Directory.GetCounters();
        Assert.Equal((4, 1L, 1L), (counters.Watched, counters.ObservedLookupsEvicted, counters.WatchesRefused));
        Assert.Equal(CoapObserveState.Observing, second.Observation.State);

        // Each has one now, and displaces nobody.
        await VerifyAsync(world, others[3]);
        Assert.False(await MayObserveAsync(world, others[3], "/rd-lookup/res?rt=z"));
        Assert.Equal(1, world.Directory.GetCounters().ObservedLookupsEvicted);

        // Who still has his place is told as before.
        await world.RegisterAsync("ep=lamp", "</1>;rt=\"b\"");
        Assert.Contains("/1>", await NextAsync(world, second));
    }

    // Who has sent an Echo back has shown that he receives at his address. The name is free again afterwards.
    private static async Task VerifyAsync(DirectoryWorld world, CoapClient client)
    {
        CoapResponse registered = await world.SendAsync(new CoapRequest(CoapMethod.Post, DirectoryWorld.Uri + "/rd?ep=v")
        {
            Content = new CoapContent("</v>"u8.ToArray(), CoapContentFormat.LinkFormat),
        }, client);
        CoapResponse removed = await world.SendAsync(
            new CoapRequest(CoapMethod.Delete, DirectoryWorld.Uri + DirectoryWorld.LocationOf(registered)), client);
        removed.Gives(CoapCode.Deleted);
    }

    private static async Task<bool> MayObserveAsync(DirectoryWorld world, CoapClient client, string path)
    {
        CoapRequest request = new(CoapMethod.Get, DirectoryWorld.Uri + path);
        request.Options.Observe = 0;
        return (await world.SendAsync(request, client)).Options.Observe is not null;
    }

    private static async Task<Observed> ObserveAsync(DirectoryWorld world, string path)
    {
        Channel<string> told = Channel.CreateUnbounded<string>();
        CoapObservation observation = await world.Clock.AdvanceUntilAsync(
            world.Node.ObserveAsync(
                new CoapRequest(CoapMethod.Get, DirectoryWorld.Uri + path),
                new CoapObservationOptions { OnNotification = response => told.Writer.TryWrite(response.GetText()) }),
            FromMinutes(1));
        await world.Clock.AdvanceUntilAsync(told.Reader.ReadAsync().AsTask(), FromMinutes(1));
        return new Observed(observation, told.Reader);
    }

    private static Task<string> NextAsync(DirectoryWorld world, Observed observed) =>
        world.Clock.AdvanceUntilAsync(observed.Told.ReadAsync().AsTask(), FromMinutes(1));

    private sealed record Observed(CoapObservation Observation, ChannelReader<string> Told);
}
