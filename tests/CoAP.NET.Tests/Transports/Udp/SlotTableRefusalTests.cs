using System.Net;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using CoAP.NET.Tests.Resources;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Tests.Transports.Udp;

/// <summary>Where records cannot be brought to the process that has their slot, that is counted and told.</summary>
/// <param name="output">Says why nothing was looked at.</param>
public sealed partial class SlotTableRefusalTests(ITestOutputHelper output) : UdpTest
{
    private const int SetNoNewPrivileges = 38;
    private const int SetSeccomp = 22;
    private const nuint FilterMode = 2;
    private const uint Allow = 0x7FFF_0000;
    private const uint RefuseAsNotPermitted = 0x0005_0001;
    private const int NumberAt = 0;
    private const int OptionAt = 32;

    private readonly ListLogger _log = new();

    [Fact]
    public async Task What_a_seccomp_profile_forbids_is_told_once_with_what_to_do_and_counted_each_time()
    {
        if (!LinuxUdpEngine.IsSupported)
        {
            return;
        }

        await Eventually.BindsAgainAsync(async () =>
        {
            UdpTestContext context = new() { Logger = _log };
            await using CoapUdpTransport transport = await StartAsync(context, Shared(CoapUdpEngine.LinuxLoop));
            if (!transport.TryAttach(0, new CoapUdpSlotTable()) || !TryRunConfined(() =>
                {
                    Assert.False(transport.TryAttach(0, new CoapUdpSlotTable()));
                    Assert.False(transport.TryAttach(0, new CoapUdpSlotTable()));
                }))
            {
                output.WriteLine("Not looked at: this kernel refuses SO_ATTACH_REUSEPORT_CBPF, or filters of seccomp.");
                return;
            }

            Assert.Equal(2, context.Counters[CoapCounter.SlotTablesRefused]);
            string told = Assert.Single(Told());
            Assert.Contains($"{transport.LocalAddresses[0]}", told, StringComparison.Ordinal);
            Assert.Contains("seccomp", told, StringComparison.Ordinal);
            Assert.Contains("SO_ATTACH_REUSEPORT_CBPF", told, StringComparison.Ordinal);

            // It is told again when it has worked in between.
            Assert.True(transport.TryAttach(0, new CoapUdpSlotTable()));
            Assert.True(TryRunConfined(() => Assert.False(transport.TryAttach(0, new CoapUdpSlotTable()))));
            Assert.Equal(2, Told().Count);
        });
    }

    [Fact]
    public async Task The_portable_engine_says_that_it_cannot_where_the_port_is_shared_and_nothing_where_it_is_not()
    {
        if (!OperatingSystem.IsLinux())
        {
            return;
        }

        await Eventually.BindsAgainAsync(async () =>
        {
            UdpTestContext context = new() { Logger = _log };
            await using CoapUdpTransport shared = await StartAsync(context, Shared(CoapUdpEngine.Portable));
            await using CoapUdpTransport alone = await StartAsync(CoapUdpEngine.Portable, context, "127.0.0.1");

            Assert.Equal(0, shared.SharedSockets);
            Assert.False(alone.TryAttach(0, new CoapUdpSlotTable()));
            Assert.False(shared.TryAttach(1, new CoapUdpSlotTable()));
            Assert.Empty(Told());
            Assert.False(shared.TryAttach(0, new CoapUdpSlotTable()));
            Assert.Contains("engine Portable", Assert.Single(Told()), StringComparison.Ordinal);
            Assert.Equal(1, context.Counters[CoapCounter.SlotTablesRefused]);
        });
    }

    [Theory]
    [InlineData(SocketError.AccessDenied, "seccomp")]
    [InlineData(SocketError.ProtocolOption, "gVisor")]
    [InlineData(SocketError.SocketError, "optmem_max")]
    public void Each_refusal_has_its_advice(SocketError error, string says) =>
        Assert.Contains(says, ReusePortFilter.AdviceFor(error), StringComparison.Ordinal);

    private List<string> Told() =>
        [.. _log.Entries.Where(static entry => entry is { Level: LogLevel.Warning, Id: 1013 }).Select(static entry => entry.Text)];

    private static CoapUdpTransportOptions Shared(CoapUdpEngine engine)
    {
        using Socket free = new(AddressFamily.InterNetwork, SocketType.Dgram, ProtocolType.Udp);
        free.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        return new CoapUdpTransportOptions
        {
            Engine = engine, IsServer = true, SharePort = true, Endpoints = { (IPEndPoint)free.LocalEndPoint! },
        };
    }

    // A filter of seccomp holds for one thread, and as long as that lives.
    private static bool TryRunConfined(Action action)
    {
        bool isConfined = false;
        Exception? failure = null;
        Thread thread = new(() =>
        {
            try
            {
                isConfined = TryConfine();
                if (isConfined)
                {
                    action();
                }
            }
#pragma warning disable CA1031 // thrown again by whoever waits for the thread
            catch (Exception exception)
#pragma warning restore CA1031
            {
                failure = exception;
            }
        });
        thread.Start();
        thread.Join();
        return failure is null ? isConfined : throw new InvalidOperationException("The confined thread has failed.", failure);
    }

    private static unsafe bool TryConfine()
    {
        uint setSocketOption = RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? 208u : 54u;
        BpfInstruction[] program =
        [
            new(0x20, NumberAt),
            new(0x15, setSocketOption, 0, 3),
            new(0x20, OptionAt),
            new(0x15, LibC.SoAttachReusePortFilter, 0, 1),
            new(0x06, RefuseAsNotPermitted),
            new(0x06, Allow),
        ];
        fixed (BpfInstruction* instructions = program)
        {
            nint* filter = stackalloc nint[] { program.Length, (nint)instructions };
            return Control(SetNoNewPrivileges, 1, 0, 0, 0) == 0 && Control(SetSeccomp, FilterMode, (nuint)filter, 0, 0) == 0;
        }
    }

    [LibraryImport("libc", EntryPoint = "prctl", SetLastError = true)]
    private static partial int Control(int option, nuint first, nuint second, nuint third, nuint fourth);
}
