using CoAP.NET.Oscore.Contexts;

namespace CoAP.NET.Oscore.Tests;

/// <summary>A context, a request GET /tv1 and two responses "Hello World!" to it, as other implementations protect them.</summary>
/// <param name="Name">What it shows.</param>
/// <param name="Algorithm">The COSE number of the AEAD algorithm.</param>
/// <param name="Hkdf">The COSE number of the key derivation.</param>
/// <param name="Salt">The Master Salt.</param>
/// <param name="ClientId">The client's Sender ID.</param>
/// <param name="ServerId">The server's Sender ID.</param>
/// <param name="IdContext">The ID Context; null for none.</param>
/// <param name="Number">The Sender Sequence Number of the request.</param>
/// <param name="Option">The OSCORE option of the request.</param>
/// <param name="Request">The ciphertext of the request.</param>
/// <param name="Response">The ciphertext of the response under the nonce of the request.</param>
/// <param name="ResponseWithNumber">The ciphertext of the response with the server's number 0.</param>
public sealed record OscoreVector(
    string Name, int Algorithm, int Hkdf, string Salt, string ClientId, string ServerId, string? IdContext, ulong Number,
    string Option, string Request, string Response, string ResponseWithNumber)
{
    public static IReadOnlyList<OscoreVector> All { get; } =
    [
        new("the defaults", 10, -10, "9e7ca92223786340", "", "01", null, 20, "0914",
            "612f1092f1776f1c1668b3825e",
            "dbaad1e9a7e7b2a813d3c31524378303cdafae119106",
            "4d4c13669384b67354b2b6175ff4b8658c666a6cf88e"),
        new("tags of 16 bytes", 30, -10, "9e7ca92223786340", "", "01", null, 20, "0914",
            "c6abcf09b06e3e9d75e16a6b515f0154558ba68e47",
            "e47c31faf36f75fb4cde4a0ec6fb0e80a37756ada649675010b9e2725c79",
            "c7951257f8a414deb185b09d1c3e70137558dd6c566ca32d92824290378d"),
        new("AES-256", 11, -10, "9e7ca92223786340", "", "01", null, 20, "0914",
            "bc9978cca5143acfdcc87b49a0",
            "f71795f69a33fd1f0b97ddff34aea1c06a23a5dae852",
            "5de6e3e8135c9a839cef37d6c46b73e2a23113b7d79f"),
        new("short nonces", 12, -10, "9e7ca92223786340", "", "01", null, 20, "0914",
            "1a08d7c8250a999eb5425a454b",
            "01d19de7f031e8c8955a0b9bce7bf9d7092a2fa44e1a",
            "22f511d1ea6c978c2b3212aef7676372e2f06c9390c7"),
        new("A128GCM", 1, -10, "9e7ca92223786340", "", "01", null, 20, "0914",
            "0a92f69efa3d051b4a878e5a69ff6e094ab015848d",
            "4d92a8cd5d57762057f7c36c7b0737391608215a449d06cefafd34777835",
            "abc68936197029163cf0377f5f253aae7bb20baa84d11bafbf86d5e3a2c3"),
        new("A256GCM", 3, -10, "9e7ca92223786340", "", "01", null, 20, "0914",
            "7772dcf4b5ce48b2ffe22fc5b951fbf17adb603544",
            "6ad34d356e891618ade025164dde4a68e3bd5575efa88a0e74831d880331",
            "bae7a10ef81f8675546d6db65f260f057e4e91d0314b0e4d28788434e8fb"),
        new("ChaCha20/Poly1305", 24, -10, "9e7ca92223786340", "", "01", null, 20, "0914",
            "ee8ccc438eb131bf3f8a0f7e585cce70356656160d",
            "52ab53f5c9afe8d6061dcaf7e00d4f2c6075a6be1ba61697047a57dd5bac",
            "a0a946ced11c4b4edd5643a57cf42b8e32f9f4c4bf3683b0930968b25ec4"),
        new("SHA-512", 10, -11, "9e7ca92223786340", "", "01", null, 20, "0914",
            "991c03fbd508dfdc68394aa0b8",
            "65148c26522905e3b1160c26747d8a035750169e2abb",
            "27643f51d9634b7bb2a5b22770778429d0f4f7e36591"),
        new("long IDs, ID Context, the last number but one", 10, -10, "9e7ca92223786340", "a0a1a2a3a4a5a6",
            "b0b1b2b3b4b5b6", "37cbf3210017a2d3", 1099511627774, "1dfffffffffe0837cbf3210017a2d3a0a1a2a3a4a5a6",
            "c80cd70cfcc5300e95b63d539b",
            "d24b25155975929b11c0b8da8f3169c364a04e3702b6",
            "943aaa4dff816430198d027c4c5a18f9075dd639b995"),
        new("no salt, an empty ID Context", 10, -10, "", "00", "0000", "", 256, "1a01000000",
            "31f4b48cff5949484b2e09ca62",
            "c699f0ef98c6471792052f952c78fb01705c657b6528",
            "f7b9a786cd0222bc37e9979303b3b46a7ac370425ffa"),
    ];

    public static TheoryData<string> Names => [.. All.Select(vector => vector.Name)];

    public static OscoreVector Find(string name) => All.Single(vector => vector.Name == name);

    public OscoreContext Client() => OscoreContext.CreateVolatile(Parameters(ClientId, ServerId));

    public OscoreContext Server() => OscoreContext.CreateVolatile(Parameters(ServerId, ClientId));

    public override string ToString() => Name;

    private OscoreParameters Parameters(string sender, string recipient) =>
        new(Convert.FromHexString("0102030405060708090a0b0c0d0e0f10"), Convert.FromHexString(sender), Convert.FromHexString(recipient),
            OscoreAlgorithm.Find(Algorithm))
        {
            MasterSalt = Convert.FromHexString(Salt),
            IdContext = IdContext is null ? null : Convert.FromHexString(IdContext),
            Hkdf = OscoreHkdf.Find(Hkdf)!,
        };
}
