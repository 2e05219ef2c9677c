using System.Globalization;
using System.Net;
using System.Net.Sockets;

namespace CoAP.NET.Cli.Bench;

/// <summary>Addresses of workers as people write them: "host", "host:port", "192.0.2.1:port", "[2001:db8::1]:port".</summary>
internal static class WorkerAddress
{
    /// <summary>The port of workers when none is named.</summary>
    public const int DefaultPort = 5690;

    /// <summary>Where a worker listens when nothing else is asked for: nobody but this machine reaches it.</summary>
    public static IPEndPoint DefaultListen => new(IPAddress.Loopback, DefaultPort);

    /// <summary>Reads one address.</summary>
    /// <exception cref="FormatException">It is none.</exception>
    public static DnsEndPoint Parse(string text)
    {
        string host = text.Trim();
        string port = string.Empty;
        int colon = host.LastIndexOf(':');

        // An IPv6 address without brackets is all host.
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
            : throw new FormatException($"'{SpreadException.Clean(text)}' is no address of a worker, such as 192.0.2.1:{DefaultPort}.");
    }

    /// <summary>Reads addresses with commas between them.</summary>
    /// <exception cref="FormatException">One of them is none, or stands there twice.</exception>
    public static IReadOnlyList<DnsEndPoint> ParseList(string text)
    {
        List<DnsEndPoint> all = [.. text.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries).Select(Parse)];
        return all.GroupBy(Format).FirstOrDefault(static same => same.Count() > 1) is { } twice
            ? throw new FormatException($"Worker {twice.Key} is named twice; it does one run at a time.")
            : all.Count > 0 ? all : throw new FormatException("No worker is named.");
    }

    /// <summary>
    /// Reads where a worker listens: an address of this machine with a port, or "localhost". Names are not looked up, as they may have
    /// several addresses.
    /// </summary>
    /// <exception cref="FormatException">It is none.</exception>
    public static IPEndPoint ParseListen(string text)
    {
        DnsEndPoint address = Parse(text);
        return address.Host == "localhost" ? new IPEndPoint(IPAddress.Loopback, address.Port)
            : IPAddress.TryParse(address.Host, out IPAddress? ip) ? new IPEndPoint(ip, address.Port)
            : throw new FormatException(
                $"'{SpreadException.Clean(text)}' is no address to listen on, such as 127.0.0.1:{DefaultPort} or 0.0.0.0:{DefaultPort}.");
    }

    /// <summary>An address as people write it.</summary>
    public static string Format(DnsEndPoint address) =>
        (IPAddress.TryParse(address.Host, out IPAddress? ip) && ip.AddressFamily == AddressFamily.InterNetworkV6
            ? $"[{address.Host}]"
            : address.Host)
        + ":" + address.Port.ToString(CultureInfo.InvariantCulture);
}
