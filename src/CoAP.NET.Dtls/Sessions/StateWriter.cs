using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>Writes the state of sessions. It contains keys: it overwrites its memory at the end, and when it grows.</summary>
internal sealed class StateWriter : IDisposable
{
    private byte[] _bytes = new byte[1_024];
    private int _length;

    /// <summary>The written bytes.</summary>
    public Span<byte> Written => _bytes.AsSpan(0, _length);

    public void WriteNumber(long number) => BinaryPrimitives.WriteInt64LittleEndian(Take(sizeof(long)), number);

    public void WriteFlag(bool flag) => Take(1)[0] = flag ? (byte)1 : (byte)0;

    public void WriteBytes(ReadOnlySpan<byte> bytes)
    {
        BinaryPrimitives.WriteInt32LittleEndian(Take(sizeof(int)), bytes.Length);
        bytes.CopyTo(Take(bytes.Length));
    }

    /// <summary>Writes a text that may be missing.</summary>
    /// <param name="text">The text, or null.</param>
    public void WriteText(string? text)
    {
        WriteFlag(text is not null);
        if (text is not null)
        {
            WriteBytes(Encoding.UTF8.GetBytes(text));
        }
    }

    public void Dispose()
    {
        CryptographicOperations.ZeroMemory(_bytes);
        _length = 0;
    }

    private Span<byte> Take(int count)
    {
        if (_bytes.Length - _length < count)
        {
            byte[] larger = new byte[Math.Max(checked(_length + count), (int)Math.Min(Array.MaxLength, 2L * _bytes.Length))];
            Written.CopyTo(larger);
            CryptographicOperations.ZeroMemory(_bytes);
            _bytes = larger;
        }

        _length += count;
        return _bytes.AsSpan(_length - count, count);
    }

    /// <summary>Writes an address.</summary>
    /// <param name="address">The address.</param>
    public void WriteAddress(in CoapAddress address)
    {
        WriteNumber((long)address.High);
        WriteNumber((long)address.Low);
        WriteNumber(address.Port);
        WriteNumber(address.ScopeId);
    }
}
