using System.Runtime.InteropServices;

namespace CoAP.NET.Transports;

/// <summary>
/// ICMP errors (RFC 7252 section 4.2). Only port unreachable is passed on from the kernel's queue, with the quoted bytes, so
/// the endpoint can distinguish a real report from a forged one. The others are transient.
/// </summary>
internal sealed unsafe partial class UdpReceiver
{
    private const int QuoteSize = 1500;
    private const int MinQuote = 4;
    private const int MaxErrorsAtOnce = 64;
    private const int OriginICMP = 2;
    private const int OriginICMPv6 = 3;

    private bool ReadErrors(ReceiveRole role, LinuxUdpSocket socket)
    {
        socket.Events = 0;
        byte* quote = stackalloc byte[QuoteSize];
        byte* control = stackalloc byte[512];
        byte* name = stackalloc byte[32];
        for (int i = 0; i < MaxErrorsAtOnce && !socket.IsClosing; i++)
        {
            IoVector vector = new() { Base = quote, Length = QuoteSize };
            MessageHeader header = new()
            {
                Name = name,
                NameLength = 32,
                Vectors = &vector,
                VectorCount = 1,
                Control = control,
                ControlLength = 512
            };
            nint length = LibC.Receive(socket.Descriptor, &header, LibC.ErrorQueue | LibC.DontWait);
            if (length < 0)
            {
                int error = Marshal.GetLastPInvokeError();
                if (error == LibC.EAGAIN)
                {
                    return true;
                }

                continue;
            }

            if (length >= MinQuote && IsPortUnreachable(socket, header, out CoapAddress local))
            {
                loop.Begin(socket.Owner);
                CoapAddress remote = NativeAddress.Read(new ReadOnlySpan<byte>(name, NativeAddress.IPv6Size), socket.IsIPv6);
                socket.Context.PortUnreachable(remote, local, new ReadOnlySpan<byte>(quote, (int)length));
                if (!role.Settle() || !loop.Flush(role))
                {
                    return false;
                }
            }
        }

        // There may be more errors: the next poll reports them.
        return true;
    }

    private static bool IsPortUnreachable(LinuxUdpSocket socket, in MessageHeader header, out CoapAddress local)
    {
        bool found = false;
        local = socket.Local;
        int offset = 0;
        while (ControlMessages.TryNext(header.Control, (int)header.ControlLength, ref offset, out int level, out int type, out byte* data,
            out int length))
        {
            bool isError = (level == LibC.SolIP && type == LibC.IPReceiveErrors)
                || (level == LibC.SolIPv6 && type == LibC.IPv6ReceiveErrors);
            if (isError && length >= 16)
            {
                // struct sock_extended_err: errno, origin, type, code.
                byte origin = data[4];
                found |= (origin == OriginICMP && data[5] == 3 && data[6] == 3) || (origin == OriginICMPv6 && data[5] == 1 && data[6] == 4);
            }
            else if (socket.IsWildcard && TryReadErrorLocal(level, type, data, length, socket.Local.Port, out CoapAddress read))
            {
                local = read;
            }
        }

        return found;
    }

    private static bool TryReadErrorLocal(int level, int type, byte* data, int length, ushort port, out CoapAddress local)
    {
        if (level == LibC.SolIP && type == LibC.IPPacketInfo && length >= 12)
        {
            // With an error, the kernel fills in only the address in the ICMP packet's header, which is the local one.
            *(uint*)(data + 4) = 0;
        }

        return ControlMessages.TryReadLocal(level, type, data, length, port, out local);
    }
}
