// Devices that sleep register with a resource directory (RFC 9176), and a client finds them without knowing an address: who is awake, who
// went to sleep, whose battery is empty, and who came back.
using CoAP.NET;
using CoAP.NET.ResourceDirectory;
using CoAP.NET.ResourceDirectory.Registrations;

using CancellationTokenSource guard = new(TimeSpan.FromMinutes(2));

await using CoapServer server = new();
await using CoapDirectoryServer directory = server.Routes.MapResourceDirectory();
server.Listen("coap://127.0.0.1:0");
await server.StartAsync(guard.Token);
CoapUri uri = server.LocalEndpoints[0];

await using CoapClient client = new();
CoapDirectoryClient found = await CoapDirectoryClient.DiscoverAsync(client, uri, cancellationToken: guard.Token);
Console.WriteLine($"a directory was found, which takes registrations at {found.Registration}");

Device kitchen = await Device.WakeAsync("kitchen", "21.5", uri, guard.Token);
Device cellar = await Device.WakeAsync("cellar", "12.0", uri, guard.Token);
Device attic = await Device.WakeAsync("attic", "27.5", uri, guard.Token);

int came = 0;
bool isDone = false;
CoapDirectoryQuery temperatures = new() { ResourceType = "temperature-c" };
await foreach (CoapDirectoryChange<CoapLink> change in found.WatchResourcesAsync(temperatures, guard.Token))
{
    string target = change.Item.Target;
    if (change.Kind == CoapDirectoryChangeKind.Added)
    {
        CoapResponse state = await client.GetAsync(target, guard.Token);
        Console.WriteLine($"{NameOf(target)} is awake: {state.GetText()} C");
        switch (++came)
        {
            case 3:
                Console.WriteLine("the cellar goes to sleep and says so");
                await cellar.SleepAsync();
                break;
            case 4:
                isDone = true;
                break;
        }
    }
    else if (change.Kind == CoapDirectoryChangeKind.Removed && target.StartsWith(cellar.Address, StringComparison.Ordinal))
    {
        Console.WriteLine("the directory does not list the cellar; now the battery of the attic is empty, and it says nothing");
        await attic.DieAsync();
    }
    else if (change.Kind == CoapDirectoryChangeKind.Removed)
    {
        Console.WriteLine("the directory does not list the attic any more, as its lifetime is over; the cellar wakes up");
        cellar = await Device.WakeAsync("cellar", "12.5", uri, guard.Token);
    }

    if (isDone)
    {
        break;
    }
}

List<string?> awake = [];
await foreach (CoapDirectoryEndpoint endpoint in found.FindEndpointsAsync(cancellationToken: guard.Token))
{
    awake.Add(endpoint.Name);
}

awake.Sort(StringComparer.Ordinal);
await cellar.SleepAsync();
await kitchen.SleepAsync();
if (awake is not ["cellar", "kitchen"])
{
    Console.WriteLine($"the directory lists {string.Join(", ", awake)}");
    return 1;
}

Console.WriteLine("the directory knows who is awake");
return 0;

string NameOf(string target) => target.StartsWith(kitchen.Address, StringComparison.Ordinal) ? "the kitchen"
    : target.StartsWith(attic.Address, StringComparison.Ordinal) ? "the attic" : "the cellar";

/// <summary>A thermometer that is kept registered while it is awake.</summary>
internal sealed class Device
{
    private readonly CoapServer _server;
    private readonly CoapRegistration _registration;

    private Device(CoapServer server, CoapRegistration registration)
    {
        _server = server;
        _registration = registration;
        Address = server.LocalEndpoints[0].ToString();
    }

    public string Address { get; }

    public static async Task<Device> WakeAsync(string name, string temperature, CoapUri directory, CancellationToken cancellationToken)
    {
        CoapServer server = new();
        server.MapGet("/temperature", () => temperature).WithResourceType("temperature-c");
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync(cancellationToken);

        // Requests leave from the port at which the device answers, so the directory knows where it is. A lifetime is hours in practice.
        CoapRegistration registration = CoapRegistration.Start(
            new CoapClient(server.Endpoint), directory,
            new CoapRegistrationOptions
            {
                EndpointName = name,
                Links = server.Links,
                Lifetime = TimeSpan.FromSeconds(4),
                RemoveAtEnd = name != "attic",
            });
        await registration.WhenRegisteredAsync(cancellationToken);
        return new Device(server, registration);
    }

    /// <summary>Removes itself from the directory, and sleeps.</summary>
    public async Task SleepAsync()
    {
        await _registration.DisposeAsync();
        await _server.DisposeAsync();
    }

    /// <summary>Is gone without a word, as <see cref="CoapRegistrationOptions.RemoveAtEnd"/> is false.</summary>
    public Task DieAsync() => SleepAsync();
}
