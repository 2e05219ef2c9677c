using System.Net;

namespace CoAP.NET.Bench;

/// <summary>
/// Source addresses for many connections: a server bounds how many one address may have, and a pair of addresses has ports for some 28,000.
/// </summary>
internal static class Loopback
{
    private const int ConnectionsPerAddress = 100;

    /// <summary>The address of a connection, from 127.1.0.1 on.</summary>
    public static IPAddress AddressOf(int connection)
    {
        int index = connection / ConnectionsPerAddress;
        return new IPAddress([127, (byte)(1 + (index / (250 * 250) % 200)), (byte)(index / 250 % 250), (byte)(1 + (index % 250))]);
    }
}
