using System.Buffers.Binary;
using System.Text;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>
/// Reads the output of <see cref="StateWriter"/>. All members throw <see cref="InvalidDataException"/> if the bytes have another format.
/// </summary>
/// <param name="bytes">The bytes.</param>
internal ref struct StateReader(ReadOnlySpan<byte> bytes)
{
    private ReadOnlySpan<byte> _rest = bytes;

    /// <summary>Whether no bytes remain.</summary>
    public readonly bool IsAtEnd => _rest.IsEmpty;

    public long ReadNumber() => BinaryPrimitives.ReadInt64LittleEndian(Take(sizeof(long)));

    public bool ReadFlag() => Take(1)[0] switch
    {
        0 => false,
        1 => true,
        _ => throw Failure(),
    };

    public ReadOnlySpan<byte> ReadBytes() => Take(BinaryPrimitives.ReadInt32LittleEndian(Take(sizeof(int))));

    public string? ReadText() => ReadFlag() ? Encoding.UTF8.GetString(ReadBytes()) : null;

    private static InvalidDataException Failure() => new("The saved sessions are of another version.");

    private ReadOnlySpan<byte> Take(int count)
    {
        if (count < 0 || count > _rest.Length)
        {
            throw Failure();
        }

        ReadOnlySpan<byte> taken = _rest[..count];
        _rest = _rest[count..];
        return taken;
    }

    /// <summary>Reads an address.</summary>
    /// <exception cref="InvalidDataException">The bytes are not an address.</exception>
    public CoapAddress ReadAddress() => new((ulong)ReadNumber(), (ulong)ReadNumber(), (ushort)ReadNumber(), (uint)ReadNumber());
}
