using System.Buffers.Binary;
using System.Text;
using CoAP.NET.Cryptography;
using CoAP.NET.Options;

namespace CoAP.NET.Proxy.Forwarding;

/// <summary>Decides which requests are equal and can share a response (RFC 7252 section 5.6).</summary>
internal static class RequestSharing
{
    // Room for the URI of a device with a few options; a hash costs as much as the rest of the work for a request.
    public const int MaxPlain = 256;

    /// <summary>Whether the response to a request may go to other clients.</summary>
    /// <param name="code">The method.</param>
    /// <param name="forwarded">The options to forward.</param>
    /// <param name="isSecured">Whether the server is reached over a secured transport.</param>
    public static bool IsAllowed(CoapCode code, CoapOptionCollection forwarded, bool isSecured) =>
        code.IsSafe && !isSecured && !IsPrivate(forwarded);

    /// <summary>Returns the key of equal requests.</summary>
    /// <returns>A key of bounded length: the code, and then the parts if they are short, otherwise a hash of them in hexadecimal
    /// digits.</returns>
    public static string KeyOf(CoapForwardedRequest request, bool withTags)
    {
        Span<char> plain = stackalloc char[MaxPlain];
        return TryWrite(request, withTags, plain, out int length) ? new string(plain[..length]) : DigestOf(request, withTags);
    }

    /// <summary>Returns the hash of equal requests, with the hash key of this process.</summary>
    /// <param name="request">The request.</param>
    /// <param name="withTags">Whether entity-tags are part of the key.</param>
    public static int HashOf(CoapForwardedRequest request, bool withTags)
    {
        HashCode hash = default;
        hash.Add(request.Code.Value);
        hash.Add(request.Target);
        CoapOptionCollection options = request.Options;
        for (int i = 0; i < options.Count; i++)
        {
            if (Counts(options, options.NumberAt(i), withTags))
            {
                hash.Add(options.NumberAt(i));
                hash.AddBytes(options.ValueAt(i));
            }
        }

        hash.AddBytes(request.Payload.Span);
        return hash.ToHashCode();
    }

    /// <summary>Whether two requests can share a response.</summary>
    /// <param name="one">One of them.</param>
    /// <param name="other">The other one.</param>
    /// <param name="withTags">Whether entity-tags are part of the key.</param>
    public static bool AreEqual(CoapForwardedRequest one, CoapForwardedRequest other, bool withTags)
    {
        if (one.Code != other.Code || one.Target != other.Target || !one.Payload.Span.SequenceEqual(other.Payload.Span))
        {
            return false;
        }

        for (int i = 0, j = 0; ; i++, j++)
        {
            i = NextThatCounts(one.Options, i, withTags);
            j = NextThatCounts(other.Options, j, withTags);
            if (i == one.Options.Count || j == other.Options.Count)
            {
                return i == one.Options.Count && j == other.Options.Count;
            }

            if (one.Options.NumberAt(i) != other.Options.NumberAt(j)
                || !one.Options.ValueAt(i).SequenceEqual(other.Options.ValueAt(j)))
            {
                return false;
            }
        }
    }

    private static int NextThatCounts(CoapOptionCollection options, int from, bool withTags)
    {
        while (from < options.Count && !Counts(options, options.NumberAt(from), withTags))
        {
            from++;
        }

        return from;
    }

    // The answer to an Echo is for the client that the server tests.
    private static bool IsPrivate(CoapOptionCollection forwarded)
    {
        for (int i = 0; i < forwarded.Count; i++)
        {
            int number = forwarded.NumberAt(i);
            if (number == OptionNumber.Echo || forwarded.Registry.CachingOf(number) == OptionCachingInRequests.Bypass)
            {
                return true;
            }
        }

        return false;
    }

    // Hop-Limit counts: a request that a loop of proxies brings back has fewer hops, and must not wait for itself.
    private static bool Counts(CoapOptionCollection options, int number, bool withTags) => number switch
    {
        OptionNumber.ETag => withTags,
        OptionNumber.HopLimit => true,
        _ => options.Registry.IsInCacheKey(number),
    };

    // Each part is preceded by its length, so that different requests never have the same text. A code is not a hexadecimal digit.
    private static bool TryWrite(CoapForwardedRequest request, bool withTags, Span<char> to, out int length)
    {
        length = 0;
        if (request.Target.Length + 3 > to.Length)
        {
            return false;
        }

        to[0] = (char)request.Code.Value;
        to[1] = (char)request.Target.Length;
        request.Target.CopyTo(to[2..]);
        length = 2 + request.Target.Length;
        for (int i = 0; i < request.Options.Count; i++)
        {
            int option = request.Options.NumberAt(i);
            if (Counts(request.Options, option, withTags) && !TryAppend(option, request.Options.ValueAt(i), to, ref length))
            {
                return false;
            }
        }

        return TryAppend(0, request.Payload.Span, to, ref length);
    }

    private static bool TryAppend(int number, ReadOnlySpan<byte> bytes, Span<char> to, ref int length)
    {
        if (bytes.Length + 2 > to.Length - length)
        {
            return false;
        }

        to[length++] = (char)number;
        to[length++] = (char)bytes.Length;
        foreach (byte one in bytes)
        {
            to[length++] = (char)one;
        }

        return true;
    }

    private static string DigestOf(CoapForwardedRequest request, bool withTags)
    {
        Sha256 hash = new();
        hash.Append([request.Code.Value]);
        Append(ref hash, Encoding.UTF8.GetBytes(request.Target));
        Span<byte> number = stackalloc byte[2];
        for (int i = 0; i < request.Options.Count; i++)
        {
            int option = request.Options.NumberAt(i);
            if (!Counts(request.Options, option, withTags))
            {
                continue;
            }

            BinaryPrimitives.WriteUInt16BigEndian(number, (ushort)option);
            hash.Append(number);
            Append(ref hash, request.Options.ValueAt(i));
        }

        Append(ref hash, request.Payload.Span);
        Span<byte> bytes = stackalloc byte[Sha256.HashLength];
        hash.Finish(bytes);
        return Convert.ToHexString(bytes);
    }

    private static void Append(ref Sha256 hash, ReadOnlySpan<byte> bytes)
    {
        Span<byte> length = stackalloc byte[4];
        BinaryPrimitives.WriteInt32BigEndian(length, bytes.Length);
        hash.Append(length);
        hash.Append(bytes);
    }
}
