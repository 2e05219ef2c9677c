using System.Net;
using CoAP.NET.Transports;

namespace CoAP.NET.Tests.Transports;

public class CoapAddressTests
{
    [Theory]
    [InlineData("192.0.2.1", 5683, "192.0.2.1:5683")]
    [InlineData("0.0.0.0", 0, "0.0.0.0:0")]
    [InlineData("255.255.255.255", 65535, "255.255.255.255:65535")]
    [InlineData("2001:db8::1", 5683, "[2001:db8::1]:5683")]
    [InlineData("::", 1, "[::]:1")]
    [InlineData("fe80::1%3", 5683, "[fe80::1%3]:5683")]
    public void CoapAddress_round_trips_through_IPEndPoint(string address, int port, string text)
    {
        IPEndPoint endpoint = new(IPAddress.Parse(address), port);

        CoapAddress converted = CoapAddress.FromIPEndPoint(endpoint);

        Assert.Equal(endpoint, converted.ToIPEndPoint());
        Assert.Equal(text, converted.ToString());
    }

    [Fact]
    public void A_mapped_IPv4_address_is_the_IPv4_address()
    {
        CoapAddress mapped = CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse("::ffff:192.0.2.7"), 9));
        CoapAddress plain = CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse("192.0.2.7"), 9));

        Assert.Equal(plain, mapped);
        Assert.True(mapped.IsIPv4);
        Assert.Equal("192.0.2.7:9", mapped.ToString());
    }

    [Theory]
    [InlineData("224.0.1.187", true)]
    [InlineData("239.255.255.255", true)]
    [InlineData("223.255.255.255", false)]
    [InlineData("240.0.0.1", false)]
    [InlineData("ff02::fd", true)]
    [InlineData("ff05::fd", true)]
    [InlineData("fe80::fd", false)]
    public void IsMulticast_is_true_for_group_addresses_only(string address, bool expected) =>
        Assert.Equal(expected, CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse(address), 1)).IsMulticast);

    [Theory]
    [InlineData("0.0.0.0", true)]
    [InlineData("::", true)]
    [InlineData("::1", false)]
    [InlineData("127.0.0.1", false)]
    public void IsAny_is_true_for_the_wildcard_addresses_of_IPv4_and_IPv6(string address, bool expected) =>
        Assert.Equal(expected, CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse(address), 1)).IsAny);

    [Fact]
    public void Addresses_with_different_scope_ids_are_not_equal()
    {
        CoapAddress first = CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse("fe80::1%1"), 1));
        CoapAddress second = CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse("fe80::1%2"), 1));

        Assert.NotEqual(first, second);
    }

    [Theory]
    [InlineData("192.0.2.1", false)]
    [InlineData("192.0.2.1", true)]
    [InlineData("2001:db8::1", true)]
    [InlineData("fe80::1%3", true)]
    public void An_address_is_read_back_unchanged_from_its_sockaddr(string text, bool ipv6)
    {
        CoapAddress address = CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse(text), 0x1633));
        byte[] bytes = new byte[28];
        Array.Fill(bytes, (byte)0xaa);

        int length = SockaddrConverter.Write(bytes, address, ipv6);

        Assert.Equal(ipv6 ? 28 : 16, length);
        Assert.Equal(address, SockaddrConverter.Read(bytes, ipv6));
        Assert.Equal("1633", Wire.Hex(bytes.AsSpan(2, 2)));
    }

    [Fact]
    public void A_written_sockaddr_equals_the_SocketAddress_of_the_platform()
    {
        SocketAddress expected = new IPEndPoint(IPAddress.Parse("fe80::1234%7"), 5683).Serialize();
        SocketAddress written = new(System.Net.Sockets.AddressFamily.InterNetworkV6);

        SockaddrConverter.Write(written.Buffer.Span, CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse("fe80::1234%7"), 5683)),
            ipv6: true);

        Assert.Equal(Wire.Hex(expected.Buffer.Span[..28]), Wire.Hex(written.Buffer.Span[..28]));
    }

    [Theory]
    [InlineData("fe80::1", true)]
    [InlineData("febf::1", true)]
    [InlineData("ff02::fd", true)]
    [InlineData("ff01::1", true)]
    [InlineData("ff05::fd", false)]
    [InlineData("2001:db8::1", false)]
    [InlineData("::1", false)]
    public void Addresses_that_need_an_interface_are_known(string text, bool expected) =>
        Assert.Equal(expected, SockaddrConverter.NeedsScope(CoapAddress.FromIPEndPoint(new IPEndPoint(IPAddress.Parse(text), 1)).High));
}
