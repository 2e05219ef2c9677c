using System.Globalization;
using CoAP.NET;
#if (postgresql)
using CoAP.NET.Cluster.PostgreSql;
#endif
using CoAP.NET.Hosting;
using CoapServer1;
#if (postgresql)
using Microsoft.Extensions.Configuration;
#endif
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
#if (postgresql)
using Orleans.Configuration;
using Orleans.Hosting;
#endif

HostApplicationBuilder builder = Host.CreateApplicationBuilder(args);
builder.Services.AddSingleton<Thermometer>();

#if (dtls)
ICoapServerBuilder server = builder.Services.AddCoapServer().UseDtls();
#else
ICoapServerBuilder server = builder.Services.AddCoapServer();
#endif
server.MapGet("/hello/{name}", (string name) => $"Hello {name}!");

CoapRouteHandlerBuilder temperature = server
    .MapGet("/temperature", (Thermometer thermometer) => thermometer.Celsius.ToString(CultureInfo.InvariantCulture))
    .WithResourceType("temperature")
    .Observable();

CoapRouteHandlerBuilder setting = server.MapPut("/temperature", ([CoapFromBody] double celsius, Thermometer thermometer) =>
{
    thermometer.Celsius = celsius;
    temperature.Notify();
    return CoapResults.Changed();
});
#if (dtls)

// As there is coaps, routes are served over it only, unless they say otherwise: everybody may read the temperature, peers with a key may
// set it.
temperature.AllowInsecureTransport();
setting.RequireAuthorization(policy => policy.RequirePskIdentity());
#else
setting.WithTitle("What the thermometer shows");
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
    .Configure<ClusterOptions>(options => (options.ClusterId, options.ServiceId) = ("CoapServer1", "CoapServer1"))
    .Configure<EndpointOptions>(options =>
        (options.SiloPort, options.GatewayPort) = (builder.Configuration.GetValue("SiloPort", 11111), 0))
    .UseAdoNetClustering(options => (options.Invariant, options.ConnectionString) = ("Npgsql", database))
    .AddCoap());
#endif

await builder.Build().RunAsync();
