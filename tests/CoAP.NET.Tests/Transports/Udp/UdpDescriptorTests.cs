using System.Globalization;
using System.Runtime.InteropServices;

namespace CoAP.NET.Tests.Transports.Udp;

/// <summary>What happens when other code of the process takes the descriptor of a socket away.</summary>
public sealed partial class UdpDescriptorTests : UdpTest
{
    [Theory]
    [MemberData(nameof(Engines))]
    public async Task The_endpoint_stops_when_its_descriptor_belongs_to_another_file(CoapSocketEngine engine)
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "needs dup2 and /proc");
        UdpTestContext context = new();
        CoapUdpTransport transport = await StartAsync(engine, context, "127.0.0.1");
        using UdpTestPeer peer = new();
        int descriptor = DescriptorOf(transport.LocalAddresses[0].Port);
        using (FileStream other = File.OpenRead("/dev/null"))
        {
            Assert.Equal(descriptor, Replace((int)other.SafeFileHandle.DangerousGetHandle(), descriptor));
        }

        transport.Send(UdpTestContext.To(peer.Address, "never arrives"u8));

        await Eventually.IsTrueAsync(() => !context.Faults.IsEmpty);
        Assert.All(context.Faults, static error =>
            error.Mentions("closed a descriptor that it does not own"));

        // A thread may still wait in the socket.
        peer.Send("wake up", At("127.0.0.1", transport));
        await transport.DisposeAsync().AsTask().WaitAsync(Hang);
        Assert.Equal(0, Close(descriptor));
    }

    private static int DescriptorOf(int port)
    {
        // The local address is the second column, the inode the tenth. The table is that of the machine, and changes while it is read: a
        // row may occur twice, and a socket of another process may have had the port. Only one of them is a descriptor of this process.
        HashSet<string> sockets = [
            .. File.ReadLines("/proc/net/udp").Skip(1).Select(static line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
                .Where(columns => columns[1] == string.Create(CultureInfo.InvariantCulture, $"0100007F:{port:X4}"))
                .Select(static columns => $"socket:[{columns[9]}]")];
        return Directory.GetFiles("/proc/self/fd").Where(path => new FileInfo(path).LinkTarget is { } target && sockets.Contains(target))
            .Select(static path => int.Parse(Path.GetFileName(path), CultureInfo.InvariantCulture)).Single();
    }

    [LibraryImport("libc", EntryPoint = "dup2")]
    private static partial int Replace(int by, int descriptor);

    [LibraryImport("libc", EntryPoint = "close")]
    private static partial int Close(int descriptor);
}
