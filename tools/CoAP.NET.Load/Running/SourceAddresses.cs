using System.Net;
using System.Net.Sockets;
using System.Numerics;
using CoAP.NET.Load.Plans;

namespace CoAP.NET.Load.Running;

/// <summary>The source addresses of the peers on this host.</summary>
internal sealed class SourceAddresses
{
    // The last byte of an address of 127/8 is 1 to 254 here: the others are those of networks and broadcasts.
    private const int HostsPerNetwork = 254;

    private readonly IPAddress _first;

    private SourceAddresses(IPAddress first) => _first = first;

    /// <summary>Returns the addresses of a plan; null: the peers have no addresses of their own.</summary>
    /// <exception cref="ArgumentException">The first source of the plan is no address, or of another family than the target, or not of this
    /// host, or there are not enough after it.</exception>
    public static SourceAddresses? Of(LoadPlan plan, IPAddress target)
    {
        string? text = plan.FirstSource;
        if (text is null)
        {
            // Outside of Linux 127/8 has one address only, or a request cannot choose.
            if (!OperatingSystem.IsLinux() || target.AddressFamily != AddressFamily.InterNetwork || !IPAddress.IsLoopback(target))
            {
                return null;
            }

            text = "127.1.0.1";
        }

        if (!IPAddress.TryParse(text, out IPAddress? first))
        {
            throw new ArgumentException($"'{text}' is not a source address.");
        }

        if (first.AddressFamily != target.AddressFamily)
        {
            throw new ArgumentException($"Requests to {target} cannot leave from {first}: one is IPv4, the other is not.");
        }

        SourceAddresses sources = new(first);
        CheckIsOurs(sources.Of(plan.FirstPeer));
        CheckIsOurs(sources.Of(plan.FirstPeer + plan.Peers - 1));
        return sources;
    }

    /// <summary>Returns the address of a peer.</summary>
    /// <param name="peer">Its number among all peers of all workers.</param>
    /// <exception cref="ArgumentException">There is none.</exception>
    public IPAddress Of(int peer)
    {
        byte[] bytes = _first.GetAddressBytes();
        BigInteger value = new(bytes, isUnsigned: true, isBigEndian: true);
        if (_first.AddressFamily == AddressFamily.InterNetwork && IPAddress.IsLoopback(_first))
        {
            int skipped = Math.Clamp(bytes[3] - 1, 0, HostsPerNetwork - 1) + peer;
            value = value - bytes[3] + ((long)(skipped / HostsPerNetwork) << 8) + 1 + (skipped % HostsPerNetwork);
        }
        else
        {
            value += peer;
        }

        byte[] sum = value.ToByteArray(isUnsigned: true, isBigEndian: true);
        if (sum.Length > bytes.Length || (IPAddress.IsLoopback(_first) && bytes.Length == 4 && sum[0] != bytes[0]))
        {
            throw new ArgumentException($"There are not {peer + 1} addresses from {_first} on.");
        }

        bytes.AsSpan().Clear();
        sum.CopyTo(bytes.AsSpan(bytes.Length - sum.Length));
        return new IPAddress(bytes);
    }

    // One check instead of a failure of each request.
    private static void CheckIsOurs(IPAddress address)
    {
        try
        {
            using Socket probe = new(address.AddressFamily, SocketType.Dgram, ProtocolType.Udp);
            probe.Bind(new IPEndPoint(address, 0));
        }
        catch (SocketException exception)
        {
            throw new ArgumentException($"This host cannot send from {address}: {exception.Message}", exception);
        }
    }
}
