using System.Net;
using Microsoft.AspNetCore.HostFiltering;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace CoAP.NET.AspNetCore;

/// <summary>
/// Checks the names under which browsers reach a page. A page of another site whose name suddenly resolves to this server (DNS rebinding)
/// has the same origin for the browser, and comes from the user's machine.
/// </summary>
internal static class HostHeaderCheck
{
    /// <summary>The remedy in the response to a refused browser.</summary>
    public const string Remedy = "Use an address or localhost, or add the name to AllowedHosts.";

    /// <summary>Whether a request may name the server as it does.</summary>
    /// <param name="context">The request.</param>
    /// <param name="allowed">The allowed names, without port. Empty: any, if only the network or the user decides who may call.</param>
    /// <param name="isAnonymous">Whether everybody may call.</param>
    public static bool AreAllowed(HttpContext context, ICollection<string> allowed, bool isAnonymous)
    {
        string host = context.Request.Host.Host;

        // No other site has an address or this name.
        return allowed.Contains(host) || IPAddress.TryParse(host.Trim('[', ']'), out _)
            || host.Equals("localhost", StringComparison.OrdinalIgnoreCase)
            || (allowed.Count == 0 && ((!isAnonymous && !IsLocal(context.Connection.RemoteIpAddress)) || IsFiltered(context)));
    }

    private static bool IsLocal(IPAddress? remote) =>
        remote is not null && IPAddress.IsLoopback(remote.IsIPv4MappedToIPv6 ? remote.MapToIPv4() : remote);

    // By the setting AllowedHosts of the application.
    private static bool IsFiltered(HttpContext context) =>
        context.RequestServices.GetService<IOptions<HostFilteringOptions>>()?.Value.AllowedHosts is { Count: > 0 } hosts
        && !hosts.Any(static host => host is "*" or "[::]" or "0.0.0.0");
}
