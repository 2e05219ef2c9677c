using System.Buffers.Binary;

namespace CoAP.NET.ResourceDirectory.Registrations;

/// <summary>The part of a registration that changes with each refresh.</summary>
/// <param name="Owner">Its owner.</param>
/// <param name="ChangedAt">The time of its last change or refresh, in milliseconds since 1970.</param>
internal readonly record struct RegistrationRefreshHeader(DirectoryOwner Owner, long ChangedAt)
{
    /// <summary>Writes it.</summary>
    /// <param name="destination">At least <see cref="Registration.HeadLength"/> bytes.</param>
    public void WriteTo(Span<byte> destination)
    {
        Owner.WriteTo(destination);
        BinaryPrimitives.WriteInt64LittleEndian(destination[24..], ChangedAt);
    }
}
