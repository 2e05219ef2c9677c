using CoAP.NET.Load.Workers;

namespace CoAP.NET.Load.Tests;

public sealed class WorkerAddressTests
{
    [Theory]
    [InlineData("load1", "load1:5690")]
    [InlineData("load1.example:7", "load1.example:7")]
    [InlineData(" 192.0.2.1:80 ", "192.0.2.1:80")]
    [InlineData("[2001:db8::1]:80", "[2001:db8::1]:80")]
    [InlineData("[::1]", "[::1]:5690")]
    [InlineData("::1", "[::1]:5690")]
    public void Worker_addresses_may_omit_the_port(string text, string expected) =>
        Assert.Equal(expected, WorkerAddress.Format(WorkerAddress.Parse(text)));

    [Theory]
    [InlineData("")]
    [InlineData(":80")]
    [InlineData("host:")]
    [InlineData("host:x")]
    [InlineData("host:65536")]
    [InlineData("host:-1")]
    [InlineData("ho st:1")]
    public void An_invalid_worker_address_is_refused(string text) => Assert.Throws<FormatException>(() => WorkerAddress.Parse(text));

    [Fact]
    public void A_worker_address_that_occurs_twice_is_refused()
    {
        Assert.Equal(2, WorkerAddress.ParseList("a:1, a:2").Count);
        Assert.Throws<FormatException>(() => WorkerAddress.ParseList("a:1,b,a:1")).Mentions("a:1 occurs twice");
        Assert.Throws<FormatException>(() => WorkerAddress.ParseList(" , "));
    }

    [Fact]
    public void A_worker_listens_on_loopback_by_default()
    {
        Assert.True(IPAddress.IsLoopback(WorkerAddress.DefaultListen.Address));
        Assert.Equal(new IPEndPoint(IPAddress.Loopback, 9), WorkerAddress.ParseListen("localhost:9"));
        Assert.Equal(new IPEndPoint(IPAddress.Any, 9), WorkerAddress.ParseListen("0.0.0.0:9"));
        Assert.Throws<FormatException>(() => WorkerAddress.ParseListen("load1:9"));
    }
}
