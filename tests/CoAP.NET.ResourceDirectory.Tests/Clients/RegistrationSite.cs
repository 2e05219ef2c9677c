using CoAP.NET.ResourceDirectory.Registrations;

namespace CoAP.NET.ResourceDirectory.Tests.Clients;

/// <summary>An endpoint that is kept registered, and what it says of that.</summary>
internal sealed class RegistrationSite : IAsyncDisposable
{
    private RegistrationSite(DirectorySite site, CoapRegistration registration)
    {
        Site = site;
        Registration = registration;
        registration.StatusChanged += (_, status) =>
        {
            lock (Told)
            {
                Told.Add(status);
            }
        };
    }

    public DirectorySite Site { get; }

    public CoapRegistration Registration { get; }

    public List<CoapRegistrationStatus> Told { get; } = [];

    public SmallDirectory Directory => Site.Directory;

    public VirtualClock Clock => Site.Clock;

    public CoapRegistrationState State => Registration.Status.State;

    public static CoapRegistrationOptions Options(string name = "node1") => new()
    {
        EndpointName = name,
        Lifetime = FromHours(1),
        Links = [new CoapLink("/t", new CoapLinkAttribute("rt", "temperature-c"))],
    };

    public static async Task<RegistrationSite> StartAsync(CoapRegistrationOptions? options = null, string uri = DirectorySite.Address,
        DirectorySite? site = null, bool untilRegistered = true)
    {
        site = await DirectorySite.StartAsync(site ?? new DirectorySite());
        RegistrationSite made = new(site, CoapRegistration.Start(site.Client, uri, options ?? Options()));
        if (untilRegistered)
        {
            await site.RunAsync(made.Registration.WhenRegisteredAsync());
        }

        return made;
    }

    /// <summary>How many requests of a kind the directory got.</summary>
    public int Count(string begin) => Directory.Requests.Count(request => request.StartsWith(begin, Ordinal));

    /// <summary>Lets time pass.</summary>
    public async Task PassAsync(TimeSpan time)
    {
        bool isOver = false;
        using ITimer timer = Clock.CreateTimer(_ => Volatile.Write(ref isOver, true), null, time, Timeout.InfiniteTimeSpan);
        await Clock.AdvanceUntilAsync(() => Volatile.Read(ref isOver), time);
    }

    public Task StopAsync() => Clock.AdvanceUntilAsync(Registration.StopAsync(), FromMinutes(10));

    public async ValueTask DisposeAsync()
    {
        await StopAsync();
        await Site.DisposeAsync();
    }
}
