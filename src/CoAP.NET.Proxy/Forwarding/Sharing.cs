using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;
using CoAP.NET.Options;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>Which requests are equal, so that one answer does for all of them (RFC 7252 section 5.6), as a table of exceptions.</summary>
internal static class Sharing
{
    // What makes the answer one for this client alone.
    private static readonly int[] s_private =
    [
        OptionNumber.IfMatch, OptionNumber.IfNoneMatch, OptionNumber.Oscore, OptionNumber.Edhoc, OptionNumber.Echo,
    ];

    /// <summary>Whether the answer to a request may be given to others.</summary>
    /// <param name="code">The method.</param>
    /// <param name="forwarded">The options that go on.</param>
    /// <param name="isSecured">Whether the server is asked over a secured transport.</param>
    public static bool IsAllowed(CoapCode code, CoapOptionCollection forwarded, bool isSecured) =>
        code.IsSafe && !isSecured && !Array.Exists(s_private, forwarded.Contains);

    /// <summary>What equal requests have in common.</summary>
    /// <param name="request">The request.</param>
    /// <param name="withTags">Whether entity-tags count.</param>
    /// <returns>A key of bounded length.</returns>
    public static string KeyOf(CoapProxyRequest request, bool withTags)
    {
        using IncrementalHash hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        hash.AppendData([request.Code.Value]);
        Append(hash, Encoding.UTF8.GetBytes(request.Target));
        Span<byte> number = stackalloc byte[2];
        for (int i = 0; i < request.Options.Count; i++)
        {
            int option = request.Options.NumberAt(i);

            // Hop-Limit counts: a request that a loop of proxies brings back has fewer hops, and must not wait for itself.
            if ((!withTags && option == OptionNumber.ETag) || OptionNumber.IsNoCacheKey(option))
            {
                continue;
            }

            BinaryPrimitives.WriteUInt16BigEndian(number, (ushort)option);
            hash.AppendData(number);
            Append(hash, request.Options.ValueAt(i));
        }

        Append(hash, request.Payload.Span);
        return Convert.ToHexString(hash.GetHashAndReset());
    }

    private static void Append(IncrementalHash hash, ReadOnlySpan<byte> bytes)
    {
        Span<byte> length = stackalloc byte[4];
        BinaryPrimitives.WriteInt32BigEndian(length, bytes.Length);
        hash.AppendData(length);
        hash.AppendData(bytes);
    }
}
