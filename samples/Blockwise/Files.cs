using System.Security.Cryptography;

namespace Blockwise;

internal static class Files
{
    /// <summary>Makes a file of random bytes, the same ones each time.</summary>
    /// <returns>Its SHA-256.</returns>
    public static async Task<string> MakeAsync(string path, int mebibytes)
    {
        Random random = new(1);
        byte[] buffer = new byte[1024 * 1024];
        await using (FileStream file = File.Create(path))
        {
            for (int i = 0; i < mebibytes; i++)
            {
                random.NextBytes(buffer);
                await file.WriteAsync(buffer);
            }
        }

        return await HashAsync(path);
    }

    public static async Task<string> HashAsync(string path)
    {
        await using FileStream file = File.OpenRead(path);
        return Convert.ToHexStringLower(await SHA256.HashDataAsync(file));
    }
}
