using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using CoAP.NET.Dtls.Native;

namespace CoAP.NET.Dtls.Handshakes;

/// <summary>The extension connection_id (RFC 9146 section 3), which OpenSSL does not know itself.</summary>
internal static unsafe class CidExtension
{
    private const uint Number = 54;
    private const int DecodeError = 50;

    /// <summary>Makes the handshakes of a context offer and answer it.</summary>
    /// <param name="context">The context.</param>
    /// <returns>Whether OpenSSL allows that; one that knows the extension itself would not.</returns>
    public static bool TryAdd(nint context) => LibSsl.SSL_CTX_add_custom_ext(
        context,
        Number,
        LibSsl.SSL_EXT_DTLS_ONLY | LibSsl.SSL_EXT_TLS1_2_AND_BELOW_ONLY | LibSsl.SSL_EXT_CLIENT_HELLO | LibSsl.SSL_EXT_TLS1_2_SERVER_HELLO,
        &Add,
        &Free,
        0,
        &Parse,
        0) == 1;

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int Add(nint ssl, uint type, uint place, byte** output, nuint* length, nint certificate, nuint index, int* alert,
        nint argument)
    {
        Handshake? handshake = null;
        try
        {
            handshake = Handshake.Of(ssl);
            if (handshake?.CidToSend() is not { } cid)
            {
                return 0;
            }

            byte* bytes = (byte*)NativeMemory.Alloc((nuint)cid.Length + 1);
            bytes[0] = (byte)cid.Length;
            cid.CopyTo(new Span<byte>(bytes + 1, cid.Length));
            *output = bytes;
            *length = (nuint)cid.Length + 1;
            return 1;
        }
        catch (Exception exception)
        {
            handshake?.Note(exception);
            return 0;
        }
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static void Free(nint ssl, uint type, uint place, byte* output, nint argument) => NativeMemory.Free(output);

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int Parse(nint ssl, uint type, uint place, byte* input, nuint length, nint certificate, nuint index, int* alert,
        nint argument)
    {
        Handshake? handshake = null;
        try
        {
            handshake = Handshake.Of(ssl);
            ReadOnlySpan<byte> bytes = new(input, (int)length);
            if (bytes.Length > 0 && bytes[0] == bytes.Length - 1)
            {
                handshake?.TakePeerCid(bytes[1..]);
                return 1;
            }
        }
        catch (Exception exception)
        {
            handshake?.Note(exception);
        }

        *alert = DecodeError;
        return 0;
    }
}
