using CoAP.NET;
using CoapWeb1;

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.Services.AddSingleton<Thermometer>();

// The CoAP server. Its addresses are in appsettings.json.
#if (dtls)
builder.Services.AddCoapServer().UseDtls();
#else
builder.Services.AddCoapServer();
#endif

WebApplication web = builder.Build();

// Endpoints with WithCoap answer both HTTP and CoAP. CoAP clients can observe the temperature.
web.MapGet("/temperature", (Thermometer thermometer) => thermometer.Celsius)
#if (dtls)
    .WithCoap(route => route.WithResourceType("temperature").Observable().AllowInsecureTransport());
#else
    .WithCoap(route => route.WithResourceType("temperature").Observable());
#endif
web.MapPut("/temperature", (double celsius, Thermometer thermometer, CoapServer server) =>
{
    thermometer.Celsius = celsius;

    // Observers get the change, whichever protocol made it.
    server.Notify("/temperature");
}).WithCoap();
#if (dtls)

// The server listens on coaps too, so it serves routes on secured schemes only, unless they allow others. CoAP clients without the key in
// appsettings.Development.json can read the temperature and not set it. HTTP clients need an authorization of their own: see
// RequireAuthorization.
#endif

// Serves these endpoints at the addresses of the CoAP server.
web.MapCoap();

// Serves CoAP over WebSockets at /.well-known/coap, where clients of coap+ws expect it.
web.MapCoapWebSocket();

await web.RunAsync();
