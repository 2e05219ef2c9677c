using System.Buffers.Text;
using System.Collections.Concurrent;
using System.Net;
using System.Net.Http.Json;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Gateway;

/// <summary>
/// A service as it was before there were CoAP devices: it knows HTTP, JSON and tokens, and nothing of CoAP. It takes readings, offers the
/// configuration of devices, and sends them commands by REST.
/// </summary>
internal sealed class ExistingService : IAsyncDisposable
{
    private readonly WebApplication _web;
    private readonly HttpClient _http = new();

    public ExistingService(byte[] key)
    {
        _web = Web.Make();
        _web.MapPost("/readings", async (HttpContext context) =>
        {
            if (DeviceOf(context.Request.Headers.Authorization.ToString(), key) is not { } device)
            {
                return Results.Unauthorized();
            }

            JsonElement reading = await context.Request.ReadFromJsonAsync<JsonElement>();
            Readings[device] = reading.GetProperty("temperature").GetDouble();
            return Results.NoContent();
        });
    }

    /// <summary>The last temperature of each device.</summary>
    public ConcurrentDictionary<string, double> Readings { get; } = [];

    public string Address => Web.AddressOf(_web);

    public Task StartAsync() => _web.StartAsync();

    /// <summary>A command to a device: a request of HTTP to the gateway.</summary>
    public async Task CommandAsync(Uri gateway, string device, double target) =>
        (await _http.PutAsJsonAsync(new Uri(gateway, $"/devices/{device}/target"), new { target })).EnsureSuccessStatusCode();

    public async ValueTask DisposeAsync()
    {
        _http.Dispose();
        await _web.DisposeAsync();
    }

    // What any library for JSON Web Tokens does: the signature, whom the token is for, and until when.
    private string? DeviceOf(string authorization, byte[] key)
    {
        string[] parts = authorization.Replace("Bearer ", "", StringComparison.Ordinal).Split('.');
        if (parts.Length != 3)
        {
            return null;
        }

        byte[] expected = HMACSHA256.HashData(key, Encoding.ASCII.GetBytes($"{parts[0]}.{parts[1]}"));
        JsonElement claims = JsonDocument.Parse(Base64Url.DecodeFromChars(parts[1])).RootElement;
        return CryptographicOperations.FixedTimeEquals(expected, Base64Url.DecodeFromChars(parts[2]))
            && claims.GetProperty("aud").GetString() == Address.TrimEnd('/')
            && claims.GetProperty("exp").GetInt64() > TimeProvider.System.GetUtcNow().ToUnixTimeSeconds()
            ? claims.GetProperty("sub").GetString() : null;
    }
}

/// <summary>Web applications at free ports of the loopback address.</summary>
internal static class Web
{
    public static WebApplication Make()
    {
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Logging.SetMinimumLevel(LogLevel.Warning);
        builder.WebHost.ConfigureKestrel(static kestrel => kestrel.Listen(IPAddress.Loopback, 0));
        return builder.Build();
    }

    public static string AddressOf(WebApplication web) =>
        web.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.First();
}
