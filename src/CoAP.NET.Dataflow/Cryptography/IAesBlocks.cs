using System.Runtime.Intrinsics;

namespace CoAP.NET.Cryptography;

/// <summary>AES (FIPS 197) with one key. The time it takes depends on neither the key nor the block.</summary>
internal interface IAesBlocks
{
    /// <summary>Encrypts a block.</summary>
    /// <param name="block">The block.</param>
    /// <returns>The encrypted block.</returns>
    Vector128<byte> Encrypt(Vector128<byte> block);
}
