using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using CoAP.NET.Dtls.Native;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>A BIO for OpenSSL: one record in, datagrams out. OpenSSL's memory BIOs do not preserve datagram boundaries.</summary>
internal static unsafe class DatagramBio
{
    private const int BIO_TYPE_SOURCE_SINK = 0x0400;
    private const int BIO_FLAGS_READ = 0x01;
    private const int BIO_FLAGS_SHOULD_RETRY = 0x08;
    private const int BIO_CTRL_FLUSH = 11;
    private const int BIO_CTRL_DGRAM_GET_MTU_OVERHEAD = 49;
    private const int OverheadIPv6 = 48;

    private static readonly nint s_method = MakeMethod();

    /// <summary>Creates one for a handshake; OpenSSL frees it.</summary>
    /// <param name="handle">The handle of the <see cref="Handshake"/>.</param>
    /// <returns>The BIO.</returns>
    public static nint Make(GCHandle handle)
    {
        nint bio = LibCrypto.BIO_new(s_method);
        if (bio == 0)
        {
            throw new InvalidOperationException("OpenSSL has no memory for another handshake.");
        }

        LibCrypto.BIO_set_data(bio, GCHandle.ToIntPtr(handle));
        LibCrypto.BIO_set_init(bio, 1);
        return bio;
    }

    private static nint MakeMethod()
    {
        fixed (byte* name = "coap datagrams\0"u8)
        {
            // OpenSSL keeps a pointer to the name; this one lies in the assembly and does not move.
            nint method = LibCrypto.BIO_meth_new(LibCrypto.BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, name);
            _ = LibCrypto.BIO_meth_set_read(method, &Read);
            _ = LibCrypto.BIO_meth_set_write(method, &Write);
            _ = LibCrypto.BIO_meth_set_ctrl(method, &Control);
            return method;
        }
    }

    private static Handshake? Of(nint bio) => GCHandle.FromIntPtr(LibCrypto.BIO_get_data(bio)).Target as Handshake;

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int Read(nint bio, byte* buffer, int length)
    {
        // An exception that leaves a callback would end the process.
        try
        {
            LibCrypto.BIO_clear_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
            int read = Of(bio)?.TakeInput(new Span<byte>(buffer, length)) ?? 0;
            if (read > 0)
            {
                return read;
            }

            LibCrypto.BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
            return -1;
        }
        catch (Exception exception)
        {
            Of(bio)?.Note(exception);
            return -1;
        }
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int Write(nint bio, byte* buffer, int length)
    {
        try
        {
            // Never "try again": OpenSSL would drop the record.
            Of(bio)?.AddOutput(new ReadOnlySpan<byte>(buffer, length));
            return length;
        }
        catch (Exception exception)
        {
            Of(bio)?.Note(exception);
            return -1;
        }
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static CLong Control(nint bio, int command, CLong number, void* pointer) => new(command switch
    {
        BIO_CTRL_FLUSH => 1,
        BIO_CTRL_DGRAM_GET_MTU_OVERHEAD => OverheadIPv6,
        _ => 0,
    });
}
