using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Security.Cryptography;

namespace CoAP.NET.Limits;

/// <summary>The only class that uses the generator of the operating system.</summary>
internal sealed partial class SecureRandomSource : CoapRandomSource
{
    // Linux answers at once and as a whole up to this size (getrandom(2)).
    private const int MaxLength = 256;
    private static readonly bool s_isLinux = OperatingSystem.IsLinux();

    public override void Fill(Span<byte> destination)
    {
        // On Linux RandomNumberGenerator loads OpenSSL, 5 MiB that a server without coaps does not need for anything else, and ends the
        // process where it is missing.
        if (!s_isLinux)
        {
            FillByPlatform(destination);
        }
        else if (!TryFillBySystem(destination))
        {
            FillByDevice(destination);
        }
    }

    // Not inlined: compiling a method with this call already loads the platform's cryptography.
    [MethodImpl(MethodImplOptions.NoInlining)]
#pragma warning disable RS0030 // this is the injected source that all other code uses
    private static void FillByPlatform(Span<byte> destination) => RandomNumberGenerator.Fill(destination);
#pragma warning restore RS0030

    // The same generator; an exception if the sandbox forbids this too.
    private static void FillByDevice(Span<byte> destination)
    {
        using FileStream device = new("/dev/urandom", FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0);
        device.ReadExactly(destination);
    }

    private static bool TryFillBySystem(Span<byte> destination)
    {
        while (!destination.IsEmpty)
        {
            Span<byte> part = destination[..Math.Min(MaxLength, destination.Length)];
            if (GetRandom(ref MemoryMarshal.GetReference(part), (nuint)part.Length, 0) != part.Length)
            {
                // A sandbox may forbid the call.
                return false;
            }

            destination = destination[part.Length..];
        }

        return true;
    }

    [LibraryImport("libc", EntryPoint = "getrandom")]
    private static partial nint GetRandom(ref byte buffer, nuint length, uint flags);
}
