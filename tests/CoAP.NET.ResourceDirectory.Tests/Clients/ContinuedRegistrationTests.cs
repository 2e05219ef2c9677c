using CoAP.NET.ResourceDirectory.Clients;
using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Tests.Clients;

/// <summary>Keeping an endpoint registered (RFC 9176 section 5).</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ContinuedRegistrationTests
{
    private static readonly CoapAddress s_directory = InMemoryNetwork.Address("[2001:db8::1]:5683");

    [Fact]
    [Rfc("9176-5c-1")]
    public async Task An_endpoint_is_registered_with_all_its_attributes()
    {
        CoapRegistrationOptions options = RegistrationSite.Options();
        options.Sector = "floor 3";
        options.Types.Add("oic.d.sensor");
        options.Types.Add("other");
        options.Attributes["model"] = "a&b";
        await using RegistrationSite site = await RegistrationSite.StartAsync(options);

        SmallRegistration made = Assert.Single(site.Directory.Registrations);
        Assert.Equal(("node1", "floor 3", 3600u, "coap://[2001:db8::9]:5683"), (made.Name, made.Sector, made.Lifetime, made.Base));
        Assert.Equal(["et=oic.d.sensor", "et=other", "model=a&b"], made.Others);
        Assert.Equal("</t>;rt=\"temperature-c\"", CoapLinkFormat.Format(made.Links));
        Assert.Equal(["reg", "1", ""], site.Registration.Status.Location!.PathSegments);
        Assert.Equal("coap://[2001:db8::1]/resourcedirectory/", site.Registration.Status.Directory?.ToString());
    }

    [Fact]
    public async Task An_endpoint_without_a_name_lets_the_directory_assign_the_name()
    {
        await using RegistrationSite site = await RegistrationSite.StartAsync(new CoapRegistrationOptions(), untilRegistered: false);

        await site.PassAsync(FromMinutes(1));

        Assert.DoesNotContain(site.Directory.Requests, request => request.Contains("ep=", Ordinal));
        Assert.NotEqual(0, site.Count("POST /resourcedirectory/"));
    }

    [Fact]
    [Rfc("9176-5c-2", "9176-5c-3")]
    public async Task A_registration_is_refreshed_for_30_days_at_its_exact_location_without_a_gap()
    {
        await using RegistrationSite site = await RegistrationSite.StartAsync(new CoapRegistrationOptions { EndpointName = "node1" });
        int missing = 0;
        for (int look = 0; look < 30 * 4; look++)
        {
            await site.PassAsync(FromHours(6));
            missing += site.Directory.Registrations.Count == 1 ? 0 : 1;
        }

        Assert.Equal(0, missing);
        Assert.Equal(1, site.Count("POST /resourcedirectory/"));

        // 25 h, refreshed when 20 h to 22.5 h are over.
        Assert.InRange(site.Count("POST /reg/1/"), 32, 36);
        Assert.Equal(CoapRegistrationState.Registered, site.State);

        await site.StopAsync();
        Assert.Equal("DELETE /reg/1/", site.Directory.Requests[^1]);
        Assert.Empty(site.Directory.Registrations);
        Assert.Equal(CoapRegistrationState.Ended, site.State);
    }

    [Fact]
    public async Task Lost_refreshes_are_repeated_before_the_lifetime_ends()
    {
        CoapRegistrationOptions options = RegistrationSite.Options();
        options.Lifetime = FromHours(25);
        await using RegistrationSite site = await RegistrationSite.StartAsync(options);
        int missing = 0;
        for (int look = 0; look < 60; look++)
        {
            // Away for an hour of six.
            site.Site.Network.Block(InMemoryNetwork.Address(DirectorySite.ClientAddress), s_directory);
            await site.PassAsync(FromHours(1));
            site.Site.Network.Heal();
            await site.PassAsync(FromHours(5));
            missing += site.Directory.Registrations.Count == 1 ? 0 : 1;
        }

        Assert.Equal(0, missing);
        Assert.Contains(site.Told, status => status.State == CoapRegistrationState.Retrying);
        Assert.DoesNotContain(site.Told, status => status.State == CoapRegistrationState.Waiting);
    }

    [Fact]
    public async Task An_unreachable_directory_is_retried_at_intervals_that_grow_up_to_their_limit()
    {
        await using RegistrationSite site = await RegistrationSite.StartAsync();
        site.Site.Network.Block(InMemoryNetwork.Address(DirectorySite.ClientAddress), s_directory);
        await site.PassAsync(FromHours(12));

        Assert.True(site.State is CoapRegistrationState.Waiting or CoapRegistrationState.Searching or CoapRegistrationState.Registering);
        Assert.NotNull(site.Registration.Status.Error);
        Assert.Null(site.Registration.Status.Until);
        List<CoapRegistrationStatus> failed = [.. site.Told.Where(status => status.NextTry is not null && status.Error is not null)];
        Assert.Equal(Enumerable.Range(1, failed.Count), failed.Select(status => status.Failures));

        // A try takes up to a minute and a half, a wait five to ten minutes.
        Assert.InRange(failed.Count, 60, 140);

        site.Site.Network.Heal();
        site.Directory.Forget();
        await site.Site.RunAsync(site.Registration.WhenRegisteredAsync(), FromMinutes(15));
        Assert.Single(site.Directory.Registrations);
        Assert.Equal((0, null), (site.Registration.Status.Failures, site.Registration.Status.Error));
    }

    [Fact]
    [Rfc("9176-5c-4")]
    public async Task The_client_registers_again_at_the_next_refresh_after_the_directory_lost_the_registration()
    {
        await using RegistrationSite site = await RegistrationSite.StartAsync();
        site.Directory.Forget();
        site.Directory.Add("stranger", "coap://[2001:db8::66]");
        site.Directory.Remove(site.Directory.Registrations[0]);

        await site.Site.RunAsync(() => site.Directory.Registrations.Count == 1, FromHours(1));

        Assert.Equal("/reg/2/", Assert.Single(site.Directory.Registrations).Path);
        await site.Site.RunAsync(() => site.Registration.Status.Location?.PathSegments is ["reg", "2", ""]);
        Assert.Equal(0, site.Count("DELETE"));
        await site.StopAsync();
        Assert.Equal((1, "DELETE /reg/2/"), (site.Count("DELETE"), site.Directory.Requests[^1]));
    }

    [Fact]
    public void Times_out_of_range_are_refused()
    {
        CoapRegistrationOptions options = new();
        TimeSpan tooShort = FromMilliseconds(99);
        TimeSpan tooLong = FromDays(1) + FromTicks(1);

        Assert.Throws<ArgumentOutOfRangeException>(() => options.FirstRetry = tooShort);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.FirstRetry = tooLong);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.LongestRetry = tooShort);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.LongestRetry = tooLong);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.Timeout = TimeSpan.Zero);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.Timeout = tooLong);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.EndTimeout = TimeSpan.Zero);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.EndTimeout = tooLong);
        (options.FirstRetry, options.LongestRetry) = (FromMilliseconds(100), FromDays(1));
        (options.Timeout, options.EndTimeout) = (FromTicks(1), FromDays(1));
    }

    [Fact]
    public async Task A_registration_whose_location_now_belongs_to_another_endpoint_is_never_removed()
    {
        CoapRegistrationOptions options = RegistrationSite.Options();
        options.LongestRetry = FromHours(20);
        options.FirstRetry = FromHours(20);
        await using RegistrationSite site = await RegistrationSite.StartAsync(options);

        // The registration ends while the directory is away; its location goes to somebody else.
        site.Site.Network.Block(InMemoryNetwork.Address(DirectorySite.ClientAddress), s_directory);
        await site.PassAsync(FromMinutes(70));
        site.Directory.Forget();
        site.Directory.Add("stranger", "coap://[2001:db8::66]");
        site.Site.Network.Heal();

        await site.StopAsync();

        Assert.Equal(0, site.Count("DELETE"));
        Assert.Equal("stranger", Assert.Single(site.Directory.Registrations).Name);
    }

    [Fact]
    public async Task A_directory_that_moved_is_discovered_again_by_its_name()
    {
        DirectorySite network = new();
        CoapServer second = network.MakeServer("[2001:db8::2]:5683");
        SmallDirectory moved = new(second, network.Clock);
        await second.StartAsync();
        network.Names["rd.example"] = [IPAddress.Parse("2001:db8::1")];
        await using RegistrationSite site = await RegistrationSite.StartAsync(null, "coap://rd.example", network);

        network.Network.Block(InMemoryNetwork.Address(DirectorySite.ClientAddress), s_directory);
        network.Names["rd.example"] = [IPAddress.Parse("2001:db8::2")];
        await site.PassAsync(FromHours(1));

        Assert.Equal("node1", Assert.Single(moved.Registrations).Name);
        Assert.Equal(CoapRegistrationState.Registered, site.State);
        Assert.Equal(0, site.Count("DELETE"));
    }

    [Fact]
    public async Task Repeated_4_04_responses_cause_no_more_requests_than_the_retry_intervals_allow()
    {
        await using RegistrationSite site = await RegistrationSite.StartAsync();
        site.Directory.Answers = _ => CoapResults.NotFound();
        int before = site.Directory.Requests.Count;

        await site.PassAsync(FromHours(6));

        // Each wait is five to ten minutes after the first few.
        Assert.InRange(site.Directory.Requests.Count - before, 25, 90);
        Assert.Equal(CoapRegistrationState.Waiting, site.State);
        site.Directory.Answers = null;
        await site.Site.RunAsync(site.Registration.WhenRegisteredAsync(), FromMinutes(15));
    }

    [Fact]
    [Rfc("9176-4c-4")]
    public async Task A_busy_directory_gets_no_request_for_its_Max_Age_up_to_a_limit()
    {
        await using RegistrationSite site = await RegistrationSite.StartAsync(untilRegistered: false, site: Busy(FromMinutes(30)));
        await site.Site.RunAsync(() => site.State == CoapRegistrationState.Waiting);
        int asked = site.Directory.Requests.Count;
        await site.PassAsync(FromMinutes(29));
        Assert.Equal(asked, site.Directory.Requests.Count);
        await site.PassAsync(FromMinutes(2));
        Assert.Equal(asked + 1, site.Directory.Requests.Count);

        site.Directory.Answers = _ => CoapResults.ServiceUnavailable(FromSeconds(uint.MaxValue));
        await site.PassAsync(FromMinutes(31));
        site.Directory.Answers = null;
        await site.Site.RunAsync(site.Registration.WhenRegisteredAsync(), FromMinutes(61));

        static DirectorySite Busy(TimeSpan time)
        {
            DirectorySite site = new();
            site.Directory.Answers = _ => CoapResults.ServiceUnavailable(time);
            return site;
        }
    }

    [Fact]
    public async Task A_refused_registration_is_retried_rarely_and_reports_the_reason()
    {
        DirectorySite network = new();
        network.Directory.Answers = _ => CoapResults.Forbidden("not you");
        await using RegistrationSite site = await RegistrationSite.StartAsync(untilRegistered: false, site: network);
        await site.PassAsync(FromHours(2));

        site.Registration.Status.Error.Mentions("not you");
        Assert.InRange(site.Count("POST"), 12, 25);
    }

    [Fact]
    public async Task A_refused_refresh_causes_a_new_registration()
    {
        await using RegistrationSite site = await RegistrationSite.StartAsync();
        site.Directory.Answers = request => request.Path.StartsWith("/reg", Ordinal) ? CoapResults.Forbidden() : null;

        await site.Site.RunAsync(() => site.Count("POST /resourcedirectory/") == 2, FromHours(1));

        site.Directory.Answers = null;
    }

    [Fact]
    public async Task Explicit_changes_are_sent_at_once_and_changed_links_with_the_next_refresh()
    {
        List<CoapLink> links = [new("/a")];
        CoapRegistrationOptions options = RegistrationSite.Options();
        options.Links = links.Select(link => link);
        await using RegistrationSite site = await RegistrationSite.StartAsync(options);

        await site.Clock.AdvanceUntilAsync(site.Registration.UpdateAsync("coap://[2001:db8::77]:5683/"), FromMinutes(1));
        Assert.Equal("POST /reg/1/?base=coap://[2001:db8::77]", site.Directory.Requests[^1]);
        Assert.Equal("coap://[2001:db8::77]", Assert.Single(site.Directory.Registrations).Base);

        links.Add(new CoapLink("/b"));
        await site.Site.RunAsync(() => site.Directory.Registrations[0].Links.Count == 2, FromHours(1));
        Assert.Equal(2, site.Count("POST /resourcedirectory/"));
        Assert.Equal("coap://[2001:db8::77]", Assert.Single(site.Directory.Registrations).Base);

        await site.Clock.AdvanceUntilAsync(site.Registration.UpdateAsync(links: [new CoapLink("/c")]), FromMinutes(1));
        Assert.Equal("</c>", CoapLinkFormat.Format(site.Directory.Registrations[0].Links));
        Assert.Equal(["reg", "1", ""], site.Registration.Status.Location!.PathSegments);
        Assert.Throws<ArgumentException>(() => { _ = site.Registration.UpdateAsync("coap://host/path"); });
    }

    [Fact]
    public async Task A_clock_set_forward_causes_a_new_registration_and_a_clock_set_back_does_not()
    {
        await using RegistrationSite site = await RegistrationSite.StartAsync();
        site.Clock.JumpWallClock(FromDays(-400));
        await site.PassAsync(FromMinutes(30));
        Assert.Equal(1, site.Count("POST"));

        site.Clock.JumpWallClock(FromDays(800));
        await site.PassAsync(FromMinutes(10) + FromSeconds(1));
        Assert.Equal(2, site.Count("POST /resourcedirectory/"));
        Assert.Equal(CoapRegistrationState.Registered, site.State);
    }

    [Theory]
    [InlineData("/resourcedirectory/")]
    [InlineData("/endpoint-lookup/")]
    [InlineData("/.well-known/core")]
    [InlineData("/")]
    public async Task A_location_that_is_a_URI_of_the_directory_itself_is_refused(string location)
    {
        DirectorySite network = new();
        network.Directory.Locates = _ => CoapResults.Created().WithLocationPath([.. location[1..].Split('/')]);
        await using RegistrationSite site = await RegistrationSite.StartAsync(untilRegistered: false, site: network);
        await site.Site.RunAsync(() => site.State == CoapRegistrationState.Waiting);

        site.Registration.Status.Error.Mentions("cannot be one");
        await site.StopAsync();
        Assert.Equal(0, site.Count("DELETE"));
    }

    [Fact]
    public async Task A_registration_without_a_location_is_repeated_each_time_and_never_removed()
    {
        DirectorySite network = new();
        network.Directory.Locates = _ => CoapResults.Created();
        await using RegistrationSite site = await RegistrationSite.StartAsync(site: network);
        await site.PassAsync(FromHours(2));

        Assert.InRange(site.Count("POST /resourcedirectory/"), 3, 4);
        await site.StopAsync();
        Assert.Equal(0, site.Count("DELETE"));
    }

    [Fact]
    public async Task Stopping_waits_for_a_registration_in_progress_so_that_it_can_be_removed()
    {
        await using RegistrationSite site = await RegistrationSite.StartAsync(untilRegistered: false);
        await site.Site.RunAsync(() => site.State == CoapRegistrationState.Registering);

        await site.StopAsync();

        Assert.Equal(["POST /resourcedirectory/?ep=node1&lt=3600", "DELETE /reg/1/"], site.Directory.Requests);
        await Assert.ThrowsAsync<ObjectDisposedException>(() => site.Registration.UpdateAsync());
        await Assert.ThrowsAsync<ObjectDisposedException>(() => site.Registration.WhenRegisteredAsync());
    }

    [Fact]
    public async Task Stopping_waits_only_a_few_seconds_for_an_unreachable_directory()
    {
        await using RegistrationSite site = await RegistrationSite.StartAsync();
        site.Site.Network.Block(InMemoryNetwork.Address(DirectorySite.ClientAddress), s_directory);
        TimeSpan before = site.Clock.Elapsed;

        await site.StopAsync();

        Assert.InRange(site.Clock.Elapsed - before, FromSeconds(4.9), FromSeconds(5.1));
        site.Site.Network.Heal();
    }

    [Fact]
    public async Task A_registration_ends_when_its_endpoint_was_stopped_first()
    {
        await using RegistrationSite site = await RegistrationSite.StartAsync();
        await site.Clock.AdvanceUntilAsync(site.Site.Client.DisposeAsync().AsTask(), FromMinutes(1));

        await site.Site.RunAsync(() => site.State == CoapRegistrationState.Ended, FromHours(2));
    }

    [Fact]
    [Rfc("9176-5c-5")]
    public async Task A_registration_through_a_proxy_or_over_TCP_requires_a_base()
    {
        DirectorySite network = new();
        await using RegistrationSite site = await RegistrationSite.StartAsync(site: network);
        CoapDirectoryClient streams = new(network.Client, CoapUri.Parse("coap+tcp://[2001:db8::1]/rd"));
        CoapRegistration registration = CoapRegistration.Start(network.Client, streams, RegistrationSite.Options("other"));
        await site.Site.RunAsync(() => registration.Status.State == CoapRegistrationState.Waiting);

        registration.Status.Error.Mentions("CoapRegistrationOptions.Base");
        await site.Clock.AdvanceUntilAsync(registration.DisposeAsync().AsTask(), FromMinutes(1));
    }

    [Fact]
    public async Task Invalid_links_and_links_that_throw_are_reported_and_retried()
    {
        IEnumerable<CoapLink> links = [new("relative")];
        CoapRegistrationOptions options = RegistrationSite.Options();
        options.Links = Enumerable.Range(0, 1).SelectMany(_ => links);
        await using RegistrationSite site = await RegistrationSite.StartAsync(options, untilRegistered: false);
        await site.Site.RunAsync(() => site.State == CoapRegistrationState.Waiting);
        site.Registration.Status.Error.Mentions("single slash");

        links = Enumerable.Range(0, 1).Select(i => new CoapLink($"/{1 / i}"));
        await site.Site.RunAsync(() => site.Registration.Status.Failures >= 2);
        Assert.IsType<DivideByZeroException>(site.Registration.Status.Error?.InnerException);

        links = [new("/a", new CoapLinkAttribute("anchor", "urn:x")), new("http://a.example/")];
        await site.Site.RunAsync(site.Registration.WhenRegisteredAsync());
    }

    [Fact]
    public void Options_that_violate_the_directory_rules_are_refused()
    {
        CoapRegistrationOptions options = new();
        Assert.Throws<ArgumentException>(() => options.EndpointName = new string('x', 64));
        Assert.Throws<ArgumentException>(() => options.EndpointName = "a\u0085");
        Assert.Throws<ArgumentException>(() => options.Sector = "a\n");
        Assert.Throws<ArgumentException>(() => options.Base = new CoapUri("coap://host/path"));
        Assert.Throws<ArgumentException>(() => options.Base = new CoapUri("coap://[fe80::1%25lo]"));
        Assert.Throws<ArgumentOutOfRangeException>(() => options.Lifetime = TimeSpan.Zero);
        Assert.Throws<ArgumentOutOfRangeException>(() => options.Lifetime = FromSeconds(1L << 32));
        options.Attributes["page"] = "1";
        Assert.Throws<ArgumentException>(() => ClientRegistrationRules.CheckAttributes(options));
    }

    [Theory]
    [InlineData(90_000, 72_000, 81_000)]
    [InlineData(3600, 2880, 3240)]
    [InlineData(300, 180, 240)]
    [InlineData(60, 30, 45)]
    [InlineData(1, 0.5, 0.75)]
    public void Refreshes_are_sent_well_before_the_lifetime_ends_and_at_random_times(double lifetime, double least, double most)
    {
        Assert.Equal(most, RegistrationRefreshTimes.RefreshAfter(FromSeconds(lifetime), 0).TotalSeconds, 3);
        Assert.Equal(least, RegistrationRefreshTimes.RefreshAfter(FromSeconds(lifetime), 1).TotalSeconds, 3);
    }
}
