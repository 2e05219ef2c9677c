using System.Globalization;
using CoAP.NET;
#if (postgresql)
using CoAP.NET.Cluster.PostgreSql;
#endif
using CoAP.NET.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
#if (postgresql)
using Orleans.Configuration;
using Orleans.Hosting;
#endif

HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
builder.Services.AddSingleton<TemperatureSensor>();

// appsettings.Development.json has addresses that only this machine reaches. Elsewhere decide who may reach the server.
if (!builder.Environment.IsDevelopment() && !builder.Configuration.GetSection("Coap:Server:Endpoints").Exists())
{
    throw new InvalidOperationException(
#if (dtls)
        "Coap:Server:Endpoints is not set. Set it to the addresses to listen on, such as coaps://*:5684 for all networks.");
#else
        "Coap:Server:Endpoints is not set. Set it to the addresses to listen on, such as coap://*:5683 for all networks. Any client there "
            + "may set the temperature.");
#endif
}

#if (dtls)
ICoapServerBuilder server = builder.Services.AddCoapServer().UseDtls();
#else
ICoapServerBuilder server = builder.Services.AddCoapServer();
#endif
server.MapGet("/hello/{name}", (string name) => $"Hello {name}!");

CoapRouteHandlerBuilder temperature = server
    .MapGet("/temperature", (TemperatureSensor sensor) => sensor.Celsius.ToString(CultureInfo.InvariantCulture))
    .WithResourceType("temperature")
    .Observable();

CoapRouteHandlerBuilder setting = server.MapPut("/temperature", ([CoapFromBody] double celsius, TemperatureSensor sensor) =>
{
    sensor.Celsius = celsius;
    temperature.Notify();
    return CoapResults.Changed();
});
#if (dtls)

// As there is coaps, routes are served over it only, unless they say otherwise: everybody may read the temperature, peers with a key may
// set it.
temperature.AllowInsecureTransport();
setting.RequireAuthorization(policy => policy.RequirePskIdentity());
#else

// Any client that reaches this server may set the temperature: coap knows no identities. `dotnet new coap-server --dtls` asks for keys.
setting.WithTitle("What the sensor shows");
#endif
#if (sqlite)

// Sessions of coaps and observers outlive this process, be it stopped or killed.
builder.Services.AddCoapState().UseSqlite("coap.db");
server.KeepState();
#endif
#if (postgresql)

// Sessions of coaps and observers outlive this process. All processes with this database share them: each is a silo of Orleans, and needs a
// TCP port that the others reach. On one machine give each its own (--SiloPort 11112).
string database = builder.Configuration.GetConnectionString("Cluster")
    ?? throw new InvalidOperationException("ConnectionStrings:Cluster is not set. Set it to a database of PostgreSQL.");
await CoapOrleansTables.CreateAsync(database);
builder.Services.AddCoapState().UsePostgreSql(database);
server.KeepState();
builder.UseOrleans(silo => silo
    .Configure<ClusterOptions>(options =>
        options.ClusterId = options.ServiceId = builder.Environment.ApplicationName)
    .Configure<EndpointOptions>(options =>
        (options.SiloPort, options.GatewayPort) = (builder.Configuration.GetValue("SiloPort", 11111), 0))
    .UseAdoNetClustering(options => (options.Invariant, options.ConnectionString) = ("Npgsql", database))
    .AddCoap());
#endif

await builder.Build().RunAsync();
