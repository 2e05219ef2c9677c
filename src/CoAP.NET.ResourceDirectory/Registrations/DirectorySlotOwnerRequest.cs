using System.Buffers.Binary;

namespace CoAP.NET.ResourceDirectory.Registrations;

/// <summary>A question about a registration to the deciding node.</summary>
internal readonly ref struct DirectorySlotOwnerRequest
{
    private const byte Format = 1;
    private const long Unknown = long.MinValue;
    private const int FixedLength = 3 + DirectoryOwner.Length + 8;

    private readonly ReadOnlySpan<byte> _bytes;

    /// <summary>Deserializes a question.</summary>
    /// <param name="bytes">The bytes.</param>
    public DirectorySlotOwnerRequest(ReadOnlySpan<byte> bytes) => _bytes = bytes;

    internal enum Operation : byte
    {
        Register,
        Update,
        Remove,

        /// <summary>Forget the registration if its lifetime is over.</summary>
        Forget,

        /// <summary>Evict the registration if it still belongs to the given source.</summary>
        Evict,
    }

    /// <summary>The rights of the requesting client.</summary>
    [Flags]
    internal enum ClientRights : byte
    {
        None = 0,

        /// <summary>Any client may change registrations made without security.</summary>
        IsAnyone = 1,

        /// <summary>The request must be newer than the last change.</summary>
        MustBeFresh = 2,
    }

    public bool IsReadable => _bytes.Length >= FixedLength && _bytes[0] == Format;

    public Operation What => (Operation)_bytes[1];

    public ClientRights Right => (ClientRights)_bytes[2];

    public DirectoryOwner Owner => DirectoryOwner.Read(_bytes[3..]);

    /// <summary>The maximum age of the request at the time of the question, in milliseconds; null if unknown.</summary>
    public long? Age =>
        BinaryPrimitives.ReadInt64LittleEndian(_bytes[(3 + DirectoryOwner.Length)..]) is var age and not Unknown ? age : null;

    /// <summary>The registration or update.</summary>
    public ReadOnlySpan<byte> Content => _bytes[FixedLength..];

    public static byte[] Make(Operation what, ClientRights rights, in DirectoryOwner owner, long? age, ReadOnlySpan<byte> content)
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
