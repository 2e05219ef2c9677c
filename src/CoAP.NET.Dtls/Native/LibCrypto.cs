using System.Runtime.InteropServices;

namespace CoAP.NET.Dtls.Native;

/// <summary>The functions of libcrypto in use, under OpenSSL's names.</summary>
internal static unsafe partial class LibCrypto
{
    public const int EVP_CTRL_AEAD_SET_IVLEN = 0x9;
    public const int EVP_CTRL_AEAD_GET_TAG = 0x10;
    public const int EVP_CTRL_AEAD_SET_TAG = 0x11;

    static LibCrypto() => OpenSslLibrary.Register();

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial void ERR_clear_error();

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial CULong ERR_get_error();

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial void ERR_error_string_n(CULong error, byte* buffer, nuint length);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial nint EVP_CIPHER_CTX_new();

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial void EVP_CIPHER_CTX_free(nint context);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial int EVP_CIPHER_CTX_ctrl(nint context, int type, int argument, void* pointer);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial nint EVP_aes_128_ccm();

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial nint EVP_aes_128_gcm();

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial int EVP_CipherInit_ex(nint context, nint cipher, nint engine, byte* key, byte* nonce, int encrypts);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial int EVP_CipherUpdate(nint context, byte* output, int* written, byte* input, int length);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial int EVP_CipherFinal_ex(nint context, byte* output, int* written);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial int BIO_get_new_index();

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial nint BIO_meth_new(int type, byte* name);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial int BIO_meth_set_read(nint method, delegate* unmanaged[Cdecl]<nint, byte*, int, int> read);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial int BIO_meth_set_write(nint method, delegate* unmanaged[Cdecl]<nint, byte*, int, int> write);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial int BIO_meth_set_ctrl(nint method, delegate* unmanaged[Cdecl]<nint, int, CLong, void*, CLong> control);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial nint BIO_new(nint method);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial void BIO_set_data(nint bio, nint data);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial nint BIO_get_data(nint bio);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial void BIO_set_init(nint bio, int isInitialized);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial void BIO_set_flags(nint bio, int flags);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial void BIO_clear_flags(nint bio, int flags);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial nint BIO_ADDR_new();

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial void BIO_ADDR_free(nint address);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial nint d2i_X509(nint reuse, byte** bytes, CLong length);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial int i2d_X509(nint certificate, byte** bytes);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial void X509_free(nint certificate);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial nint d2i_AutoPrivateKey(nint reuse, byte** bytes, CLong length);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial int i2d_PUBKEY(nint key, byte** bytes);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial nint OpenSSL_version(int what);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial void EVP_PKEY_free(nint key);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial nint X509_STORE_CTX_get0_cert(nint context);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial nint X509_STORE_CTX_get0_untrusted(nint context);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial nint X509_STORE_CTX_get_ex_data(nint context, int index);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial void X509_STORE_CTX_set_error(nint context, int error);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial int OPENSSL_sk_num(nint stack);

    [LibraryImport(OpenSslLibrary.Crypto)]
    public static partial nint OPENSSL_sk_value(nint stack, int index);

    /// <summary>Returns OpenSSL's version text.</summary>
    public static string VersionText() => Marshal.PtrToStringUTF8(OpenSSL_version(0)) ?? "unknown";

    /// <summary>Returns the oldest error of this thread, which caused those after it, and empties the queue.</summary>
    /// <returns>OpenSSL's own words, or an empty string if there is no error.</returns>
    public static string TakeError()
    {
        const int LongestText = 256;
        string text = string.Empty;
        byte* buffer = stackalloc byte[LongestText];
        for (CULong error = ERR_get_error(); error.Value != 0; error = ERR_get_error())
        {
            if (text.Length == 0)
            {
                ERR_error_string_n(error, buffer, LongestText);
                text = Marshal.PtrToStringUTF8((nint)buffer) ?? string.Empty;
            }
        }

        return text;
    }
}
