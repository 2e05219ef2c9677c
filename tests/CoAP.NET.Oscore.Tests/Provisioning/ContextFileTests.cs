using CoAP.NET.Cryptography;
using CoAP.NET.Oscore.Contexts;
using CoAP.NET.Oscore.Provisioning;

namespace CoAP.NET.Oscore.Tests.Provisioning;

public sealed class ContextFileTests : FolderTest
{
    private const string Secret = "0102030405060708090a0b0c0d0e0f10";

    [Fact]
    public void A_context_file_is_read_with_all_its_settings()
    {
        using OscoreContextFile file = Read($$"""
            // Of the door.
            {
              "name": "door", "masterSecret": "0x{{Secret}}", "masterSalt": "base64:nnypIiN4Y0A=", "senderId": "0x",
              "recipientId": "0x01", "idContext": "0x37cbf3210017a2d3", "algorithm": "aes-ccm-16-128-128", "hkdf": -11, "windowSize": 100,
            }
            """);
        OscoreContextFileEntry entry = Assert.Single(file.Contexts);
        Assert.Equal("door", entry.Name);
        Assert.Equal(Secret, Convert.ToHexStringLower(entry.Parameters.MasterSecret));
        Assert.Equal("9e7ca92223786340", Convert.ToHexStringLower(entry.Parameters.MasterSalt.Span));
        Assert.Empty(entry.Parameters.SenderId.ToArray());
        Assert.Equal([1], entry.Parameters.RecipientId.ToArray());
        Assert.Equal("37cbf3210017a2d3", Convert.ToHexStringLower(entry.Parameters.IdContext!));
        Assert.Same(OscoreAlgorithm.AesCcm16With128BitTag128, entry.Parameters.Algorithm);
        Assert.Same(OscoreHkdf.Sha512, entry.Parameters.Hkdf);
        Assert.Equal(100, entry.Parameters.WindowSize);
    }

    [Fact]
    public void Missing_settings_have_the_defaults_of_RFC_8613()
    {
        using OscoreContextFile file = Read($$"""{"masterSecret":"0x{{Secret}}","senderId":"","recipientId":"0x01"}""");
        OscoreContextFileEntry entry = Assert.Single(file.Contexts);
        Assert.Null(entry.Name);
        Assert.True(entry.Parameters.MasterSalt.IsEmpty);
        Assert.False(entry.Parameters.HasIdContext);
        Assert.Same(OscoreAlgorithm.AesCcm16With64BitTag128, entry.Parameters.Algorithm);
        Assert.Same(OscoreHkdf.Sha256, entry.Parameters.Hkdf);
    }

    [Theory]
    [InlineData(256)]
    [InlineData(257)]
    public void A_name_has_at_most_256_bytes(int length)
    {
        string name = new('n', length);
        string json = $$"""{"name":"{{name}}","masterSecret":"0x{{Secret}}","senderId":"","recipientId":"0x01"}""";
        if (length <= 256)
        {
            using OscoreContextFile file = Read(json);
            Assert.Equal(name, Assert.Single(file.Contexts).Name);
        }
        else
        {
            Assert.Throws<CoapCredentialException>(() => Read(json)).Mentions("at most 256 bytes");
        }
    }

    [Fact]
    public void A_file_may_have_several_contexts()
    {
        using OscoreContextFile file = Read($$"""
            { "contexts": [
              { "name": "a", "masterSecret": "0x{{Secret}}", "senderId": "0x01", "recipientId": "0x02" },
              { "name": "b", "masterSecret": "0x{{Secret}}", "senderId": "0x03", "recipientId": "0x02", "algorithm": 24 } ] }
            """);
        Assert.Equal(["a", "b"], file.Contexts.Select(entry => entry.Name));
        Assert.Same(OscoreAlgorithm.ChaCha20Poly1305, file.Contexts[1].Parameters.Algorithm);
    }

    [Theory]
    [InlineData("", "is not valid JSON")]
    [InlineData("{", "is not valid JSON")]
    [InlineData("[]", "an object")]
    [InlineData("{}", "masterSecret is missing")]
    [InlineData("""{"masterSecret":"0xSECRET","senderId":"0x01"}""", "recipientId is missing")]
    [InlineData("""{"masterSecret":"0xSECRET","senderId":"0x01","recipientId":"0x01"}""", "Sender ID and Recipient ID are equal")]
    [InlineData("""{"masterSecret":"0xSECRET","senderId":"0x01","recipientId":"0x0102030405060708"}""", "7")]
    [InlineData("""{"masterSecret":"SECRET","senderId":"0x01","recipientId":"0x02"}""", "masterSecret must be 0x")]
    [InlineData("""{"masterSecret":"0xSECRETf","senderId":"0x01","recipientId":"0x02"}""", "masterSecret must be 0x")]
    [InlineData("""{"masterSecret":"base64:SECRET!","senderId":"0x01","recipientId":"0x02"}""", "masterSecret must be 0x")]
    [InlineData("""{"masterSecret":["0xSECRET"],"senderId":"0x01","recipientId":"0x02"}""", "masterSecret must be a text")]
    [InlineData("""{"masterSecret":"0xSECRET" "senderId":"0x01"}""", "Line 1 is not valid JSON")]
    [InlineData("""{"masterSecret":"0xSECRET","masterSecret":"0xSECRET"}""", "masterSecret occurs twice")]
    [InlineData("""{"0xSECRET":"masterSecret","senderId":"0x01"}""", "an unknown name in line 1, which is not shown")]
    [InlineData("{\"senderId\":\"0x01\",\n\"SECRET\":1}", "an unknown name in line 2, which is not shown")]
    [InlineData("""{"masterSecrets":"0xSECRET","senderId":"0x01"}""", "an unknown name, masterSecrets. Did you mean masterSecret?")]
    [InlineData("""{"contexts":[{"sendrId":"0x01"}]}""", "contexts[0] has an unknown name, sendrId. Did you mean senderId?")]
    [InlineData("""{"masterSecret":"0xSECRET","algorithm":"0xSECRET"}""", "algorithm must be one of A128GCM (1)")]
    [InlineData("""{"masterSecret":"0xSECRET","hkdf":"SHA-1"}""", "hkdf must be one of HKDF SHA-256 (-10)")]
    [InlineData("""{"masterSecret":"0xSECRET","senderId":"0x01","recipientId":"0x02","windowSize":0}""", "windowSize")]
    [InlineData("""{"masterSecret":"0xSECRET","senderId":"0x01","recipientId":"0x02"} x""", "is not valid JSON")]
    [InlineData("""{"contexts":{}}""", "\"contexts\" must be a list")]
    [InlineData("""{"contexts":[]}""", "\"contexts\" is empty")]
    [InlineData("""{"contexts":[1]}""", "contexts[0] must be an object")]
    [InlineData("""{"contexts":[{"masterSecret":"0xSECRET"}]}""", "contexts[0]: senderId is missing")]
    public void The_error_for_an_invalid_context_file_has_the_position_and_does_not_show_the_secret(string json, string expected)
    {
        CoapCredentialException exception =
            Assert.Throws<CoapCredentialException>(() => Read(json.Replace("SECRET", Secret, Ordinal)));
        Assert.Contains(expected, exception.Message, StringComparison.OrdinalIgnoreCase);
        exception.Message.Begins(exception.FileName!);
        Assert.DoesNotContain(Secret, exception.ToString(), StringComparison.OrdinalIgnoreCase);
    }

    [Fact]
    [Rfc("8613-3.3-1")]
    public void Two_contexts_that_encrypt_with_the_same_key_are_refused()
    {
        CoapCredentialException exception = Assert.Throws<CoapCredentialException>(() => Read($$"""
            { "contexts": [
              { "masterSecret": "0x{{Secret}}", "senderId": "0x01", "recipientId": "0x02" },
              { "masterSecret": "0x{{Secret}}", "senderId": "0x01", "recipientId": "0x03" } ] }
            """));
        exception.Mentions("contexts[0] and contexts[1]");
    }

    [Fact]
    public void A_missing_or_too_large_context_file_is_reported()
    {
        Assert.Throws<CoapCredentialException>(() => OscoreContextFile.Read(Path.Combine(Folder, "none.json")));
        string path = Path.Combine(Folder, "large.json");
        using (FileStream file = File.Create(path))
        {
            file.SetLength((16 * 1024 * 1024) + 1);
        }

        Assert.Throws<CoapCredentialException>(() => OscoreContextFile.Read(path)).Mentions("16,777,216 bytes");
    }

    [Fact]
    public async Task Sequence_numbers_are_stored_next_to_the_file_by_a_single_process_at_a_time()
    {
        OscoreContextFile file = Read($$"""{"masterSecret":"0x{{Secret}}","senderId":"","recipientId":"0x01"}""");
        IOscoreStore store = file.OpenStore();
        Assert.Same(store, file.OpenStore());
        await store.OpenAsync(OscoreStoreKey.Of(file.Contexts[0].Parameters), default);
        Assert.True(Directory.Exists(file.Path + ".state"));
        using (OscoreContextFile other = OscoreContextFile.Read(file.Path))
        {
            Assert.Equal(OscoreStoreFault.InUse, Assert.Throws<OscoreStoreException>(() => other.OpenStore()).Fault);
        }

        file.Dispose();
        Assert.Throws<ObjectDisposedException>(() => OscoreStoreKey.Of(file.Contexts[0].Parameters));
        using OscoreContextFile next = OscoreContextFile.Read(file.Path);
        Assert.False((await next.OpenStore().OpenAsync(OscoreStoreKey.Of(next.Contexts[0].Parameters), default)).IsNew);
    }

    [Fact]
    public void A_mutated_context_file_is_read_or_refused_without_showing_the_secret()
    {
        byte[] sound = Encoding.UTF8.GetBytes($$"""
            {"contexts":[{"name":"a","masterSecret":"0x{{Secret}}","masterSalt":"base64:nnypIiN4Y0A=","senderId":"0x01","recipientId":"",
            "idContext":"0x37cbf3210017a2d3","algorithm":10,"hkdf":"HKDF SHA-256","windowSize":32}]}
            """);
        Mutated.Each(sound, 3_000, bytes =>
        {
            try
            {
                ContextFileParser.Parse(bytes, "file").ForEach(entry => entry.Parameters.Dispose());
            }
            catch (CoapCredentialException exception)
            {
                Assert.DoesNotContain(Secret[8..24], exception.ToString(), StringComparison.OrdinalIgnoreCase);
            }
        });
    }

    private OscoreContextFile Read(string json)
    {
        string path = Path.Combine(Folder, "contexts.json");
        File.WriteAllText(path, json);
        return OscoreContextFile.Read(path);
    }
}
