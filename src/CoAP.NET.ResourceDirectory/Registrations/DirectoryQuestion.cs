using System.Buffers.Binary;

namespace CoAP.NET.ResourceDirectory;

/// <summary>What is asked about a registration at the node that decides.</summary>
internal readonly ref struct DirectoryQuestion
{
    private const byte Format = 1;
    private const long Unknown = long.MinValue;
    private const int FixedLength = 3 + DirectoryOwner.Length + 8;

    private readonly ReadOnlySpan<byte> _bytes;

    /// <summary>Reads one.</summary>
    /// <param name="bytes">The bytes.</param>
    public DirectoryQuestion(ReadOnlySpan<byte> bytes) => _bytes = bytes;

    /// <summary>What happens.</summary>
    internal enum Verb : byte
    {
        Register,
        Update,
        Remove,

        /// <summary>Forget it if its lifetime is over.</summary>
        Forget,

        /// <summary>It gives way, if it is still of the source whose share is asked for.</summary>
        GiveWay,
    }

    /// <summary>What holds for whoever asks.</summary>
    [Flags]
    internal enum Rights : byte
    {
        None = 0,

        /// <summary>Anybody may change what anybody without security registered.</summary>
        IsAnyone = 1,

        /// <summary>The request has to be younger than the last change.</summary>
        MustBeFresh = 2,
    }

    public bool IsReadable => _bytes.Length >= FixedLength && _bytes[0] == Format;

    public Verb What => (Verb)_bytes[1];

    public Rights Right => (Rights)_bytes[2];

    public DirectoryOwner Owner => DirectoryOwner.Read(_bytes[3..]);

    /// <summary>How long before the question the request was made at most, in milliseconds; null when nothing tells.</summary>
    public long? Age =>
        BinaryPrimitives.ReadInt64LittleEndian(_bytes[(3 + DirectoryOwner.Length)..]) is var age and not Unknown ? age : null;

    /// <summary>A registration, or an update.</summary>
    public ReadOnlySpan<byte> Content => _bytes[FixedLength..];

    public static byte[] Make(Verb what, Rights rights, in DirectoryOwner owner, long? age, ReadOnlySpan<byte> content)
    {
        byte[] made = new byte[FixedLength + content.Length];
        made[0] = Format;
        made[1] = (byte)what;
        made[2] = (byte)rights;
        owner.WriteTo(made.AsSpan(3));
        BinaryPrimitives.WriteInt64LittleEndian(made.AsSpan(3 + DirectoryOwner.Length), age ?? Unknown);
        content.CopyTo(made.AsSpan(FixedLength));
        return made;
    }
}
