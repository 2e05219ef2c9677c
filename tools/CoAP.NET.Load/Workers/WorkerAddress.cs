using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Load.Workers;

/// <summary>Addresses of workers in the usual notation: "host", "host:port", "192.0.2.1:port", "[2001:db8::1]:port".</summary>
internal static class WorkerAddress
{
    /// <summary>The default port of workers.</summary>
    public const int DefaultPort = 5690;

    /// <summary>The default address of a worker: reachable only from this machine.</summary>
    public static IPEndPoint DefaultListen => new(IPAddress.Loopback, DefaultPort);

    /// <summary>Parses an address.</summary>
    /// <exception cref="FormatException">The text is invalid.</exception>
    public static DnsEndPoint Parse(string text)
    {
        string host = text.Trim();
        string port = string.Empty;
        int colon = host.LastIndexOf(':');

        // An IPv6 address without brackets has no port.
        bool bare = colon >= 0 && host.IndexOf(':') != colon && !host.StartsWith('[');
        if (colon >= 0 && !bare && !host.EndsWith(']'))
        {
            (host, port) = (host[..colon], host[(colon + 1)..]);
        }

        host = host is ['[', .., ']'] ? host[1..^1] : host;
        int number = DefaultPort;
        bool sound = Uri.CheckHostName(host) is not (UriHostNameType.Unknown or UriHostNameType.Basic)
            && (port.Length == 0
                || (int.TryParse(port, NumberStyles.None, CultureInfo.InvariantCulture, out number)
                    && number is >= 0 and <= ushort.MaxValue));
        return sound && !text.Trim().EndsWith(':')
            ? new DnsEndPoint(host, number)
            : throw new FormatException(
                $"'{DistributedRunException.Clean(text)}' is not an address of a worker, such as 192.0.2.1:{DefaultPort}.");
    }

    /// <summary>Parses addresses with commas between them.</summary>
    /// <exception cref="FormatException">One of them is invalid, or occurs twice.</exception>
    public static IReadOnlyList<DnsEndPoint> ParseList(string text)
    {
        List<DnsEndPoint> all = [.. text.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries).Select(Parse)];
        return all.GroupBy(Format).FirstOrDefault(static same => same.Count() > 1) is { } twice
            ? throw new FormatException($"Worker {twice.Key} occurs twice; a worker does one run at a time.")
            : all.Count > 0 ? all : throw new FormatException("Name at least one worker.");
    }

    /// <summary>
    /// Parses the address of a worker: an address of this machine with a port, or "localhost". It does not resolve names, because they may
    /// have several addresses.
    /// </summary>
    /// <exception cref="FormatException">The text is invalid.</exception>
    public static IPEndPoint ParseListen(string text)
    {
        DnsEndPoint address = Parse(text);
        return address.Host == "localhost" ? new IPEndPoint(IPAddress.Loopback, address.Port)
            : IPAddress.TryParse(address.Host, out IPAddress? ip) ? new IPEndPoint(ip, address.Port)
            : throw new FormatException(
                $"'{DistributedRunException.Clean(text)}' is not an address to listen on, such as 127.0.0.1:{DefaultPort} or "
                    + $"0.0.0.0:{DefaultPort}.");
    }

    public static string Format(DnsEndPoint address) =>
        (IPAddress.TryParse(address.Host, out IPAddress? ip) && ip.AddressFamily == AddressFamily.InterNetworkV6
            ? $"[{address.Host}]"
            : address.Host)
        + ":" + address.Port.ToString(CultureInfo.InvariantCulture);
}
