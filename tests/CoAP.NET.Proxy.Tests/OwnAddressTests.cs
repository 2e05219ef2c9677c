using System.Net.NetworkInformation;
using System.Runtime.InteropServices;

namespace CoAP.NET.Proxy.Tests;

/// <summary>Which addresses are those of the proxy's own host, when it listens on the wildcard address.</summary>
public sealed class OwnAddressTests
{
    private const int NewNetwork = 0x4000_0000;

    private readonly VirtualClock _clock = new();

    [Fact]
    [Rfc("7252-5.10.2-1")]
    public void A_host_has_the_addresses_of_its_interfaces_and_of_the_loopback_network()
    {
        HostAddressTable table = new(_clock);

        Assert.All(
            NetworkInterface.GetAllNetworkInterfaces().SelectMany(adapter => adapter.GetIPProperties().UnicastAddresses),
            own => Assert.True(table.Contains(own.Address), own.Address.ToString()), throwIfEmpty: true);
        Assert.All(["127.0.0.1", "127.9.8.7", "::1"], own => Assert.True(table.Contains(IPAddress.Parse(own))));
        Assert.All(["192.0.2.77", "2001:db8::77", "fe80::7:7:7:7"], other => Assert.False(table.Contains(IPAddress.Parse(other))));
    }

    [Theory]
    [InlineData("/proc/sys/net/ipv6/ip_nonlocal_bind", "fd44::7")]
    [InlineData("/proc/sys/net/ipv4/ip_nonlocal_bind", "192.0.2.77")]
    public void An_address_that_sockets_can_be_bound_to_belongs_to_the_host_only_if_an_interface_has_it(string setting, string foreign)
    {
        (string? skipped, bool canBind, bool isOwn) = (null, false, true);

        // A network of its own, for this thread: the setting applies to all addresses of a network.
        Thread thread = new(() =>
        {
            try
            {
                if (!OperatingSystem.IsLinux() || Unshare(NewNetwork) != 0)
                {
                    skipped = "Needs the right to make a network namespace (Linux, root).";
                    return;
                }

                File.WriteAllText(setting, "1");
            }
            catch (Exception exception) when (exception is IOException or UnauthorizedAccessException)
            {
                skipped = $"Needs to write {setting}: {exception.Message}";
                return;
            }

            IPAddress address = IPAddress.Parse(foreign);
            canBind = OwnHostAddressCheck.Contains(address);
            isOwn = new HostAddressTable(_clock).Contains(address);
        });
        thread.Start();
        thread.Join();

        Assert.SkipWhen(skipped is not null, skipped ?? "");
        Assert.Equal((true, false), (canBind, isOwn));
    }

    [DllImport("libc", EntryPoint = "unshare")]
    private static extern int Unshare(int flags);
}
