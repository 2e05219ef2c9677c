using CoAP.NET;
#if (dtls)
using CoAP.NET.AspNetCore;
#endif
using Microsoft.AspNetCore.Mvc;

WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
builder.Services.AddSingleton<TemperatureSensor>();

// appsettings.Development.json has addresses that only this machine reaches. Elsewhere decide who may reach the CoAP server.
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
builder.Services.AddCoapServer().UseDtls();
builder.Services.AddAuthentication().AddCoap();
builder.Services.AddAuthorization();
#else
builder.Services.AddCoapServer();
#endif

WebApplication web = builder.Build();

// Endpoints with WithCoap answer both HTTP and CoAP. CoAP clients can observe the temperature.
web.MapGet("/temperature", (TemperatureSensor sensor) => sensor.Celsius)
#if (dtls)
    .WithCoap(route => route.WithResourceType("temperature").Observable().AllowInsecureTransport());
#else
    .WithCoap(route => route.WithResourceType("temperature").Observable());
#endif
web.MapPut("/temperature", ([FromBody] double celsius, TemperatureSensor sensor, CoapServer server) =>
{
    sensor.Celsius = celsius;

    // Observers get the change, whichever protocol made it.
    server.Notify("/temperature");
#if (dtls)
}).WithCoap().RequireAuthorization(policy => policy
    .AddAuthenticationSchemes(CoapAuthenticationDefaults.AuthenticationScheme).RequireAuthenticatedUser());

// CoAP clients with the key in appsettings.Development.json may set the temperature. All others, also over HTTP, can read it only, until
// the policy names an authentication scheme of theirs.
#else
}).WithCoap();

// Any client that reaches this server may set the temperature, over HTTP and over CoAP. `dotnet new coap-aspnet --dtls` asks for keys.
#endif

// Serves these endpoints at the addresses of the CoAP server.
web.MapCoap();

// Serves CoAP over WebSockets at /.well-known/coap, where clients of coap+ws expect it.
web.MapCoapWebSocket();

await web.RunAsync();
